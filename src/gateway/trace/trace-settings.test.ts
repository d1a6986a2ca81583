import { expect, test } from 'vitest';
import { readTraceSettings } from './trace-settings.ts';

const BASE = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' };

test('there are no spans without an endpoint, or if they are disabled', () => {
  const off = [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: '  ' },
    { OTEL_SERVICE_NAME: 'named' },
    { ...BASE, OTEL_SDK_DISABLED: 'TRUE' },
    { ...BASE, OTEL_TRACES_EXPORTER: 'none' },
  ];
  expect(off.map(readTraceSettings)).toEqual(off.map(() => ({ settings: undefined, warnings: [] })));
});

test('unsupported settings are reported, and nothing is sent', () => {
  const wrong = [
    { ...BASE, OTEL_TRACES_EXPORTER: 'zipkin' },
    { ...BASE, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'not a url' },
  ].map(readTraceSettings);
  expect(wrong.map(({ settings, warnings }) => [settings, warnings.length])).toEqual(wrong.map(() => [undefined, 1]));
});

test('the defaults are those of OpenTelemetry', () => {
  expect(readTraceSettings(BASE)).toEqual({
    warnings: [],
    settings: {
      url: 'http://127.0.0.1:4318/v1/traces',
      headers: { 'content-type': 'application/json' },
      resource: { 'service.name': 'bindery' },
      sampler: { ratio: 1, followsParent: true },
      timeoutMs: 10_000,
      delayMs: 5_000,
      exportTimeoutMs: 30_000,
      queueMax: 2_048,
      batchMax: 512,
    },
  });
});

test('variables for traces override those for all signals, and lists are decoded', () => {
  const { settings, warnings } = readTraceSettings({
    ...BASE,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/custom?x=1',
    OTEL_EXPORTER_OTLP_HEADERS: 'common=1',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Api-Key=a%20b=c, broken ,x=2',
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '200',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=theirs,deployment.environment.name=test%2C1',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_BSP_EXPORT_TIMEOUT: '20',
    OTEL_BSP_MAX_QUEUE_SIZE: '30',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '40',
  });
  expect([settings, warnings]).toEqual([
    {
      url: 'https://collector.example/custom?x=1',
      headers: { 'api-key': 'a b=c', x: '2', 'content-type': 'application/json' },
      resource: { 'service.name': 'mine', 'deployment.environment.name': 'test,1' },
      sampler: { ratio: 0.25, followsParent: false },
      timeoutMs: 200,
      delayMs: 10,
      exportTimeoutMs: 20,
      queueMax: 30,
      batchMax: 30,
    },
    [],
  ]);
});

test('an invalid variable is named, and the default is used', () => {
  const { settings, warnings } = readTraceSettings({
    ...BASE,
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_BSP_MAX_QUEUE_SIZE: '-1',
  });
  expect([settings?.sampler, settings?.queueMax]).toEqual([{ ratio: 1, followsParent: true }, 2_048]);
  expect(warnings.map((warning) => /OTEL_\w+/.exec(warning)?.[0]).sort()).toEqual([
    'OTEL_BSP_MAX_QUEUE_SIZE',
    'OTEL_TRACES_SAMPLER',
  ]);
});
