import { lateLibrary } from '../../contract/late-library.ts';
import { SCHEMA_FORMATS } from './schema-formats.ts';

const ajv2020 = lateLibrary<typeof import('ajv/dist/2020.js')>('ajv/dist/2020.js');

/**
 * Compiles the schema of an operation's arguments (JSON Schema 2020-12). The check gives a sentence about the first
 * violation, or undefined. It never changes a value; a reference to another document does not compile.
 */
export function compileSchema(schema: object): (value: unknown) => string | undefined {
  // Own properties only: every object inherits a `constructor`, and none of a caller's arguments does.
  const ajv = new (ajv2020().Ajv2020)({
    ...{ strict: false, allErrors: false, ownProperties: true, logger: false },
    formats: { ...SCHEMA_FORMATS },
  });
  const validate = ajv.compile(schema);
  return (value) => {
    if (validate(value)) return undefined;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath || 'the arguments'} ${error?.message ?? 'do not fit the schema'}`;
  };
}
