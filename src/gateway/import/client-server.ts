/** A server as a client's file has it. */
export interface ClientServer {
  readonly id: string;
  readonly value: unknown;
  /** Why it is not the person's to move as it is; undefined for the usual ones. */
  readonly obstacle?: string;
  /** It stands in a project's part of the file, not in the section of the person's own servers. */
  readonly isOfProject?: true;
}

/** What a reader of a client's file throws, in words for the person. */
export class UnreadableFile extends Error {}
