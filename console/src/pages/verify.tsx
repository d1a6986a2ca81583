import { useRef, useState } from 'preact/hooks';
import { count } from '../data/format.ts';
import { type Verified, verifyExport } from '../data/verify-chain.ts';
import { Badge, Failure, Scroll } from '../parts/basics.tsx';
import { t } from '../texts.ts';

/** Recomputes the chain in this browser, from the export alone. */
export function VerifyPage() {
  const [progress, setProgress] = useState<number>();
  const [result, setResult] = useState<Verified>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController | undefined>(undefined);
  const run = async () => {
    running.current = new AbortController();
    setResult(undefined);
    setError(undefined);
    setProgress(0);
    try {
      setResult(await verifyExport(setProgress, running.current.signal));
    } catch (thrown) {
      if (!running.current.signal.aborted) setError(thrown);
    }
    setProgress(undefined);
  };
  const isPossible = 'subtle' in crypto;
  return (
    <section class="reading">
      <p>{t.verify.text}</p>
      {!isPossible && <p class="failed-text">{t.verify.insecure}</p>}
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={progress !== undefined || !isPossible}
          onClick={() => void run()}
        >
          {progress === undefined ? t.verify.run : t.verify.running(count(progress))}
        </button>
        {progress !== undefined && (
          <button type="button" onClick={() => running.current?.abort()}>
            {t.common.cancel}
          </button>
        )}
      </div>
      {error !== undefined && <Failure error={error} />}
      <div aria-live="polite">{result && <Result result={result} />}</div>
    </section>
  );
}

function Result({ result }: { readonly result: Verified }) {
  const { bad, records, chains } = result;
  if (!bad && records === 0)
    return (
      <p>
        <Badge tone="warning">{t.verify.empty}</Badge>
      </p>
    );
  return (
    <>
      <p>
        {bad ? (
          <Badge tone="failed">{t.verify.bad(bad.chain, bad.seq, t.verify.reasons[bad.reason])}</Badge>
        ) : (
          <Badge tone="ok">{t.verify.good(count(records))}</Badge>
        )}
      </p>
      <Scroll>
        <table>
          <thead>
            <tr>
              <th>{t.verify.chain}</th>
              <th class="number">{t.verify.first}</th>
              <th class="number">{t.verify.last}</th>
              <th>{t.verify.head}</th>
            </tr>
          </thead>
          <tbody>
            {chains.map(({ chain, first, last, head }) => (
              <tr key={chain}>
                <td class="mono">{chain}</td>
                <td class="number">{count(first)}</td>
                <td class="number">{count(last)}</td>
                <td class="mono wrap">{head}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="faint">{bad ? t.verify.badNote : t.verify.note}</p>
    </>
  );
}
