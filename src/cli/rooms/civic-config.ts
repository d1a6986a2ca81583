import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { BearerToken } from '../../contract/bearer-token.ts';
import { GLOBAL_ONLY, type Settings, shapeOf } from '../../host/config/settings/setting.ts';
import { ForgeSettings } from './civic-forge.ts';
import { readConfigSection } from './config-section.ts';

export const CIVIC_SETTINGS = {
  corpus: {
    schema: z.string().min(1).optional(),
    summary: 'Folder of the corpus that is served.',
    unset: 'none',
    project: GLOBAL_ONLY,
    flag: 'corpus',
  },
  providers: {
    schema: z.string().min(1).optional(),
    summary: 'File of the provider directory.',
    unset: 'none',
    project: GLOBAL_ONLY,
    flag: 'providers',
  },
  base_url: {
    schema: z
      .string()
      .regex(/^https?:\/\/[^\s/?#]+(?:\/[^\s?#]*)?$/)
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    summary: 'Address under which readers reach the corpus.',
    unset: 'that of the gateway',
    project: GLOBAL_ONLY,
  },
  site_name: {
    schema: z.string().min(1).max(100).default('Public procedures'),
    summary: 'What the site for people is called.',
    project: GLOBAL_ONLY,
  },
  git_sign: {
    schema: z.boolean().default(false),
    summary: 'Whether commits are signed, with the key that git is configured for.',
    project: GLOBAL_ONLY,
  },
  git_push: {
    schema: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,99}$/)
      .optional(),
    summary: 'Remote that every change is pushed to, and that merges are taken over from.',
    unset: 'none',
    project: GLOBAL_ONLY,
  },
  proposals: {
    schema: z.enum(['off', 'branches']).default('off'),
    summary: 'Whether drafts and held amendments also become branches that keepers can merge with git.',
    project: GLOBAL_ONLY,
  },
  forge: {
    schema: ForgeSettings.optional(),
    summary: 'Forge at which a request to merge is opened for each branch (GitHub, GitLab, Gitea or Forgejo).',
    unset: 'none',
    project: GLOBAL_ONLY,
  },
  forge_token: {
    schema: z.string().min(1).optional(),
    summary: 'Token for the forge; BINDERY_CIVIC_FORGE_TOKEN wins.',
    unset: 'none',
    project: GLOBAL_ONLY,
    isSecret: true,
  },
  trusted_proxies: {
    schema: z.array(z.string()).default([]),
    summary: 'Proxies that Bindery trusts to name the address of a client, as CIDR ranges.',
    project: GLOBAL_ONLY,
    flag: 'trusted-proxy',
  },
  client_address_header: {
    schema: z.string().min(1).optional(),
    summary: 'Header in which trusted proxies name the address of the client.',
    unset: 'X-Forwarded-For',
    project: GLOBAL_ONLY,
  },
  probes: {
    schema: z.enum(['off', 'monthly']).default('off'),
    summary: 'Whether the links of the corpus are visited.',
    project: GLOBAL_ONLY,
  },
  presidio_url: {
    schema: z
      .string()
      .regex(/^https?:\/\/[^\s/?#]+(?:\/[^\s?#]*)?$/)
      .optional(),
    summary: 'Address of a Presidio analyzer that looks for personal data in submissions too.',
    unset: 'none',
    project: GLOBAL_ONLY,
  },
  presidio_language: {
    schema: z.string().min(2).max(35).default('en'),
    summary: 'Language that the Presidio analyzer is asked for.',
    project: GLOBAL_ONLY,
  },
  onnx_model: {
    schema: z.string().min(1).optional(),
    summary: 'Folder of an ONNX model that looks for persons in submissions too; needs the package onnxruntime-node.',
    unset: 'none',
    project: GLOBAL_ONLY,
  },
  onnx_labels: {
    schema: z.array(z.string().min(1)).min(1).default(['PER']),
    summary: 'Labels of the ONNX model that stand for a person, without B- and I-.',
    project: GLOBAL_ONLY,
  },
  pepper_file: {
    schema: z.string().min(1).optional(),
    summary: 'File of the secret that addresses of contributors are hashed with.',
    unset: 'civic/pepper of the data directory',
    project: GLOBAL_ONLY,
  },
  maintainer_token: {
    schema: BearerToken.optional(),
    summary: 'Token of the maintainers.',
    unset: 'none',
    project: GLOBAL_ONLY,
    isSecret: true,
  },
  probe_token: {
    schema: BearerToken.optional(),
    summary: 'Token of the program that writes the results of probes.',
    unset: 'none',
    project: GLOBAL_ONLY,
    isSecret: true,
  },
} satisfies Settings;

/** `civic` in config.json. */
export const CivicConfig = z.looseObject(shapeOf(CIVIC_SETTINGS));
export type CivicConfig = z.infer<typeof CivicConfig>;

/** Reads the room's part of config.json; paths in it are relative to that file. */
export function readCivicConfig(configFile: string): CivicConfig {
  const relative = (path: string | undefined) => path && resolve(dirname(configFile), path);
  const { corpus, providers, pepper_file, onnx_model, ...rest } = readConfigSection(configFile, 'civic', CivicConfig);
  return {
    ...rest,
    ...(corpus ? { corpus: relative(corpus) } : {}),
    ...(providers ? { providers: relative(providers) } : {}),
    ...(onnx_model ? { onnx_model: relative(onnx_model) } : {}),
    ...(pepper_file ? { pepper_file: relative(pepper_file) } : {}),
  };
}
