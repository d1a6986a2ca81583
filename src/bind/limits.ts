/** Every bound and default of the room, in one place. */
export const BIND_LIMITS = {
  /** Edges between the queried zone and the farthest one. */
  cascadeDepthMax: 8,
  cascadesPerZoneMax: 16,
  /** Distinct zones of one resolution, the queried one included. */
  zonesPerResolutionMax: 64,
  endpointLengthMax: 2048,
  priorityMin: -(2 ** 31),
  priorityMax: 2 ** 31 - 1,
  /** Priority of a KEY, CAPS or CASCADE record that has none. */
  priorityDefault: 10,
  ttlDefaultSeconds: 3600,
  ttlMinSeconds: 1,
  ttlMaxSeconds: 86_400,
  /** How long clients may cache "not found". */
  negativeTtlSeconds: 60,
  /** How long clients may cache a failure of the zone data: an edit repairs it. */
  transientTtlSeconds: 5,
  /** How long clients may cache an answer from zones that can no longer be read. */
  staleTtlSeconds: 60,
  /** Zones of other resolvers that are kept; the least recently used one is evicted. */
  remoteZonesMax: 1000,
  /** Concurrent requests to other resolvers, in total and for one resolution. */
  remoteFetchesMax: 64,
  remoteFetchesTogether: 8,
  /** How long one resolution may ask other resolvers. */
  remoteBudgetMs: 10_000,
  /** How long one request to another resolver may take. */
  remoteTimeoutMs: 5000,
  remoteZoneBytesMax: 256 * 1024,
  /** How long a zone may be used after its ttl while its resolver cannot be reached, unless its settings say otherwise. */
  staleIfErrorSeconds: 3600,
  staleIfErrorMaxSeconds: 7 * 86_400,
  /** Nesting depth of arrays and objects in a zone: a deeper value could not be encoded again. */
  zoneNestingMax: 64,
  /** A longer log of changes in a folder of zones is not listed. */
  changeLogBytesMax: 256 * 1024 * 1024,
  /** A larger zone file is ignored. */
  zoneFileBytesMax: 4 * 1024 * 1024,
  batchMax: 100,
  /** Tokens of one request. */
  capsRequestedMax: 64,
  /** Sets that CAPS_UNSATISFIED lists. */
  availableMax: 64,
  /** Candidates that an explanation lists. */
  candidatesMax: 1000,
  pageDefault: 100,
  pageMax: 1000,
  /** Servers on a page of the registry's API, and what an import reads of another registry. */
  registryPageDefault: 30,
  registryPageMax: 100,
  registryPagesMax: 1000,
  registryPageBytesMax: 8 * 1024 * 1024,
  registryTimeoutMs: 30_000,
  /** Encoded answers that are cached until a zone changes. */
  answersKeptMax: 10_000,
  /** A signature outlives the answer's ttl, and at least this. */
  signatureLifetimeMinSeconds: 3600,
  /** Clocks of two machines may differ by this much. */
  clockSkewSeconds: 60,
  /** A signature is renewed this long before it would no longer outlive its answer. */
  renewalMarginMs: 60_000,
  /** Description of a zone as `server.json` holds it. */
  descriptionLengthMax: 100,
} as const;

/** Names that are never resolved here, even if a zone of that name exists. */
export const PROTECTED_NAMES: readonly string[] = ['root', 'admin', 'openai', 'google', 'anthropic', 'meta'];
