interface Told {
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Which events a reader may get. */
export interface Hearing {
  readonly profiles: readonly string[];
  /** Public names of the tools that the profiles have now. */
  toolNames(): ReadonlySet<string>;
}

/**
 * An event, as it is written, for a reader that is bound to profiles: questions, calls and tools of those alone. Undefined: nothing of it is
 * theirs. Comments and `reset` are for everyone.
 */
export function narrowEvent(text: string, { profiles, toolNames }: Hearing): string | undefined {
  const [, head, name, json] = /^(id: \d+\nevent: (\S+)\n)data: (.*)\n\n$/s.exec(text) ?? [];
  if (name === undefined || json === undefined || name === 'reset') return text;
  const { time, data } = JSON.parse(json) as Told;
  const isTheirs = (item: unknown) => profiles.includes((item as { profile?: string }).profile ?? '');
  const write = (narrowed: object) => `${head}data: ${JSON.stringify({ time, data: narrowed })}\n\n`;
  switch (name) {
    case 'approval.created':
    case 'approval.decided':
      return isTheirs(data) ? text : undefined;
    case 'audit.appended': {
      const items = (data.items as unknown[]).filter(isTheirs);
      // What was left out may have been theirs.
      return items.length > 0 || data.dropped !== 0 ? write({ items, dropped: data.dropped }) : undefined;
    }
    case 'tools.changed': {
      const theirs = toolNames();
      return write({ names: (data.names as string[]).filter((tool) => theirs.has(tool)) });
    }
    default:
      return undefined;
  }
}
