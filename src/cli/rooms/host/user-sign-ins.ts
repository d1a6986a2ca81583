import { randomUUID } from 'node:crypto';
import type { Call } from '../../../contract/operation.ts';
import { recordedOperation } from '../../../gateway/audit/recorded-room.ts';
import { clearUserCredential } from '../../../gateway/operations/credential-operations.ts';
import type { UserSignIns } from '../../../host/operations/deps.ts';
import { commandDeps } from '../../commands/command-deps.ts';
import { fileRecorder } from '../../commands/file-recorder.ts';

/** The sign-ins of the gateway's users: from its files, or through the running gateway, which then records it. */
export function userSignIns(projectDir: string, dataDir: string, db?: unknown): UserSignIns {
  const deps = () => commandDeps({ cwd: projectDir, db });
  return {
    list: async () => (await deps()).credentials.list(),
    clear: async (user, server) => {
      const on = await deps();
      const { run } = on.isRecorded
        ? clearUserCredential
        : recordedOperation(clearUserCredential as never, fileRecorder(dataDir));
      await run({ user, server }, on as never, commandCall());
    },
  };
}

function commandCall(): Call {
  return {
    face: 'cli',
    requestId: randomUUID(),
    signal: new AbortController().signal,
    header: () => undefined,
    peerAddress: undefined,
    progress: () => {},
  };
}
