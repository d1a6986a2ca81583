import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { mayChange } from '../data/live.ts';
import { needsAdmin } from '../data/needs-admin.ts';
import type { Tool } from '../data/types.ts';
import { ActionButton } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { FieldInput } from './call-field-input.tsx';
import { fieldsOf, isBeyondForm, type Read, readFields, readObject, type Values } from './call-fields.ts';
import { CallResult, type Result } from './call-result.tsx';

/** A form made from the input schema. The call goes through policy, approval and audit like any other. */
export function CallForm({ tool }: { readonly tool: Tool }) {
  const fields = fieldsOf(tool.input_schema);
  const [values, setValues] = useState<Values>(new Map());
  const isJsonOnly = isBeyondForm(tool.input_schema);
  const [raw, setRaw] = useState<string | undefined>(isJsonOnly ? '{}' : undefined);
  const [isTried, setTried] = useState(false);
  const [result, setResult] = useState<Result>();
  const read = raw === undefined ? readFields(fields, values) : readRaw(raw);
  if (!mayChange.value) return <p class="faint">{needsAdmin(t.tools.toCall)}</p>;
  const asks = tool.decision.decision === 'approval';
  const run = async () => {
    setTried(true);
    setResult(undefined);
    if (read.errors.size > 0) return;
    const path = `/v1/tools/${encodeURIComponent(tool.name)}/call`;
    setResult(await api<Result>(path, { method: 'POST', body: { arguments: read.given } }));
  };
  return (
    <form class="call-form" onSubmit={(event) => event.preventDefault()}>
      {raw === undefined ? (
        fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={values.get(field.name) ?? ''}
            // Empty fields are reported only after the first try.
            error={isTried || values.get(field.name) ? read.errors.get(field.name) : undefined}
            onChange={(value) => setValues(new Map(values).set(field.name, value))}
          />
        ))
      ) : (
        <label>
          {t.tools.rawArguments}
          <textarea
            class="mono"
            rows={8}
            value={raw}
            spellcheck={false}
            onInput={(event) => setRaw(event.currentTarget.value)}
          />
        </label>
      )}
      {raw === undefined && fields.length === 0 && <p class="faint">{t.tools.noArguments}</p>}
      <div class="actions">
        <ActionButton
          kind="primary"
          label={asks ? t.tools.callAndAsk : t.tools.call}
          busyLabel={asks ? t.tools.waiting : t.tools.calling}
          run={run}
        />
        {!isJsonOnly && (
          <button
            type="button"
            onClick={() => setRaw(raw === undefined ? JSON.stringify(read.given, null, 2) : undefined)}
          >
            {raw === undefined ? t.tools.asJson : t.tools.asForm}
          </button>
        )}
      </div>
      {isTried && read.errors.size > 0 && (
        <p class="failed-text" role="alert">
          <Line text={t.form.lookAt([...read.errors].map(([name, error]) => `${name} ${error}`.trim()))} max={600} />
        </p>
      )}
      <div aria-live="polite">{result && <CallResult result={result} tool={tool} />}</div>
    </form>
  );
}

function readRaw(text: string): Read {
  const value = readObject(text);
  return typeof value === 'string'
    ? { given: {}, errors: new Map([['', value]]) }
    : { given: value, errors: new Map() };
}
