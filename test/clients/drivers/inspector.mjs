import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const inspector = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'));
const command = join(inspector, 'clients/launcher/build/index.js');
/** How it ends after a tool that said that it failed; it prints the result all the same. */
const TOOL_FAILED = 5;

/** The Inspector's command: one connection per method. */
export async function open({ kind, url, command: program, args = [], env }) {
  const target = kind === 'stdio' ? [program, ...args] : [url, '--transport', kind];
  const invoke = async (method, ...flags) => {
    const argv = [command, '--cli', ...target, '--method', method, ...flags];
    const { stdout } = await run(process.execPath, argv, { env }).catch((cause) => {
      if (cause.code === TOOL_FAILED) return cause;
      throw new Error(`the Inspector ended with ${cause.code}: ${cause.stderr}`);
    });
    return JSON.parse(stdout);
  };
  const pairs = (flag, values = {}) =>
    Object.entries(values).flatMap(([name, value]) => [
      flag,
      `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ]);
  return {
    tools: async () => (await invoke('tools/list')).tools.map(({ name }) => name),
    call: async (name, callArgs) => {
      const { content, isError } = await invoke('tools/call', '--tool-name', name, ...pairs('--tool-arg', callArgs));
      return { text: content.map((part) => part.text ?? '').join('\n'), failed: isError === true };
    },
    resources: async () => (await invoke('resources/list')).resources,
    read: async (uri) => (await invoke('resources/read', '--uri', uri)).contents,
    prompts: async () => (await invoke('prompts/list')).prompts.map(({ name }) => name),
    prompt: async (name, promptArgs) =>
      (await invoke('prompts/get', '--prompt-name', name, ...pairs('--prompt-args', promptArgs))).messages,
    close: async () => {},
  };
}
