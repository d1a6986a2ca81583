import { z } from 'zod';

/** The most webhooks that may be configured. */
export const WEBHOOKS_MAX = 8;

/** A URL that is notified of pending approvals. */
export const ApprovalWebhook = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }),
    /** The environment variable with the signing secret. */
    secret_env: z.string().min(1).optional(),
    /** A file with the signing secret; a relative path starts from the folder of config.json. */
    secret_file: z.string().min(1).optional(),
    /** Allows a private address, or one without TLS. */
    allow_private: z.boolean().default(false),
  })
  .refine(({ secret_env, secret_file }) => (secret_env === undefined) !== (secret_file === undefined), {
    message: 'a webhook has either secret_env or secret_file, which signs what is sent',
  })
  .refine(({ url, allow_private }) => allow_private || url.startsWith('https:'), {
    message: 'the url of a webhook begins with https://, unless allow_private is true',
  });
export type ApprovalWebhook = z.output<typeof ApprovalWebhook>;
