import { z } from 'zod';

/** Webhooks that may be configured. */
export const WEBHOOKS_MAX = 8;

/** An address that is notified of calls that wait for a person. */
export const ApprovalWebhook = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }),
    /** The environment variable that holds the secret which signs what is sent. */
    secret_env: z.string().min(1).optional(),
    /** A file that holds it; a relative path starts from the folder of config.json. */
    secret_file: z.string().min(1).optional(),
    /** Lets the address be private or without TLS. */
    allow_private: z.boolean().default(false),
  })
  .refine(({ secret_env, secret_file }) => (secret_env === undefined) !== (secret_file === undefined), {
    message: 'a webhook has either secret_env or secret_file, which signs what is sent',
  })
  .refine(({ url, allow_private }) => allow_private || url.startsWith('https:'), {
    message: 'the url of a webhook begins with https://, unless allow_private is true',
  });
export type ApprovalWebhook = z.output<typeof ApprovalWebhook>;
