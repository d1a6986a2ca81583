// The public surface of mcp-bindery/bind: every export added here must be kept.
export { Answers, type AnswersOptions } from './answers.ts';
export {
  type Collapse,
  type CollapseFailure,
  type CollapsePolicy,
  type CollapseRequest,
  collapse,
  type Descriptor,
} from './collapse.ts';
export type { PublicJwk } from './detached-jws.ts';
export { type Explanation, explainCollapse } from './explain.ts';
export { type Identity, parseIdentity } from './identity.ts';
export { PROTECTED_NAMES } from './limits.ts';
export { createResolver, type IdentityResolver, type ResolvedIdentity } from './resolver.ts';
export {
  type DescriptorSignature,
  type DescriptorVerification,
  type SignedDescriptor,
  verifyDescriptor,
} from './signed-descriptor.ts';
export type { Zone, ZoneSource } from './zone.ts';
export { ZoneTable } from './zone-table.ts';
