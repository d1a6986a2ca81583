import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import type { OtlpSpan } from '../../src/gateway/trace/call-span.ts';
import { readTraceSettings, type TraceSettings } from '../../src/gateway/trace/trace-settings.ts';
import {
  type RunningFixture,
  startModernFixture,
  startSessionFixture,
} from '../../src/proxy/testing/fixture-server.ts';
import { SpanExporter } from '../../src/runtime/audit/span-exporter.ts';
import { readAudit } from '../../src/store/audit/audit-reader.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { startBindery, until } from '../support/running-bindery.ts';
import { attributesOf, startCollector } from '../support/span-collector.ts';

let collector: Awaited<ReturnType<typeof startCollector>>;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.close());

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('spans of a gateway', () => {
  let fixtures: RunningFixture[];
  beforeEach(async () => {
    fixtures = await Promise.all([startModernFixture(), startSessionFixture()]);
  });
  afterEach(() => Promise.all(fixtures.map((fixture) => fixture.close())));

  async function run(variables: Record<string, string>, use: (url: string) => Promise<void>) {
    const home = openCommandHome();
    const [modern, legacy] = fixtures.map(({ url }) => ({ transport: 'http', url }));
    home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers: { modern, legacy } } }));
    home.write(
      'project_mcp.json',
      JSON.stringify({ allowlist: { servers: ['modern', 'legacy'], forbidden: ['legacy/fail'] } }),
    );
    const bindery = await startBindery({
      ...home,
      env: { ...home.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...variables },
    });
    try {
      await untilListed(bindery.url, 'modern__echo', { text: 'warm' });
      await untilListed(bindery.url, 'legacy__echo', { text: 'warm' });
      await use(bindery.url);
    } finally {
      await bindery.stop();
    }
    return readAudit(home.dataDir, (reader) => reader.search({}, 100));
  }

  test('are made of the same facts as the records, below the trace that the caller names, and reach the collector at the latest when the gateway ends', async () => {
    const meta = (traceparent: string) => ({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        traceparent,
        tracestate: 'vendor=1',
      },
    });
    const variables = {
      OTEL_SERVICE_NAME: 'gate',
      OTEL_RESOURCE_ATTRIBUTES: 'team=a%20b',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=planted-collector-key',
    };
    const records = await run(variables, async (url) => {
      await callTool(
        url,
        'modern__echo',
        { text: 'traced', password: 'planted-in-arguments' },
        {
          params: meta(`00-${TRACE}-${SPAN}-01`),
        },
      );
      await callTool(url, 'legacy__fail', {});
      await callTool(url, 'modern__fail', {});
      await callTool(url, 'modern__unknown', {});
      // The caller keeps nothing of this trace, so neither do we.
      await callTool(url, 'modern__echo', { text: 'unsampled' }, { params: meta(`00-${TRACE}-${SPAN}-00`) });
    });
    const spans = new Map(collector.spans().map((span) => [attributesOf(span)['bindery.call_id'], span]));
    const traced = records.find(({ arguments: args }) => (args as { text?: string })?.text === 'traced');
    const unsampled = records.find(({ arguments: args }) => (args as { text?: string })?.text === 'unsampled');
    expect(spans.get(traced?.call_id as string)).toMatchObject({
      traceId: TRACE,
      parentSpanId: SPAN,
      traceState: 'vendor=1',
      name: 'tools/call echo',
      status: { code: 0 },
    });
    expect([unsampled?.trace_id, spans.has(unsampled?.call_id as string)]).toEqual([TRACE, false]);
    const calls = records.filter(({ kind, call_id }) => kind === 'call' && call_id !== unsampled?.call_id);
    const facts = calls.map((record) => {
      const span = spans.get(record.call_id) as OtlpSpan;
      const { 'bindery.server': server, 'bindery.outcome': outcome, 'bindery.rule': rule } = attributesOf(span);
      return { trace_id: span.traceId, server, outcome, rule };
    });
    expect(facts).toEqual(
      calls.map(({ trace_id, server, outcome, rule }) => ({ trace_id, server, outcome, rule: rule?.rule })),
    );
    expect(new Set(facts.map(({ outcome, rule }) => `${outcome} ${rule}`))).toEqual(
      new Set(['ok server_listed', 'denied forbidden', 'tool_error server_listed', 'denied unknown_tool']),
    );
    const [first] = collector.received;
    expect([first?.path, first?.headers['x-key'], first?.resource]).toEqual([
      '/v1/traces',
      'planted-collector-key',
      { 'service.name': 'gate', team: 'a b' },
    ]);
    expect(JSON.stringify(collector.received.map(({ spans: sent }) => sent))).not.toContain('planted-in-arguments');
  });

  test('are not made where they are switched off, and the trace of a caller is recorded nevertheless', async () => {
    const records = await run({ OTEL_SDK_DISABLED: 'true' }, async (url) => {
      await callTool(url, 'modern__echo', { text: 'plain' });
    });
    expect([collector.received, records.some(({ trace_id }) => trace_id !== undefined)]).toEqual([[], false]);
  });
});

describe('the exporter', () => {
  const span = (spanId: string) => ({ spanId }) as OtlpSpan;
  const exporterWith = (variables: Record<string, string>) => {
    const log = createMemoryLog();
    const { settings } = readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...variables });
    return { log, exporter: new SpanExporter({ settings: settings as TraceSettings, version: '1', log }) };
  };

  test('sends in batches of the size that is set, at once when one is full and else when it is time', async () => {
    const { exporter } = exporterWith({ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '3', OTEL_BSP_SCHEDULE_DELAY: '20' });
    for (const id of ['1', '2', '3', '4']) exporter.add(span(id));
    await until('all arrived', () => collector.spans().length === 4);
    expect(collector.received.map(({ spans }) => spans.map(({ spanId }) => spanId))).toEqual([['1', '2', '3'], ['4']]);
    await exporter.close(1_000);
    expect([exporter.exported, exporter.dropped]).toEqual([4, 0]);
  });

  test('tries again where the collector is busy, and gives up at once where it refuses', async () => {
    const { exporter, log } = exporterWith({ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' });
    collector.answerWith(503);
    exporter.add(span('busy'));
    await until('the second try arrived', () => collector.spans().length === 1);
    collector.answerWith(400);
    exporter.add(span('refused'));
    await until('it was refused', () => exporter.dropped === 1);
    exporter.add(span('fine'));
    await exporter.close(1_000);
    expect(collector.spans().map(({ spanId }) => spanId)).toEqual(['busy', 'fine']);
    expect([exporter.exported, exporter.dropped, log.lines.length]).toEqual([2, 1, 1]);
  });

  test('drops what finds no room, counts it, and never waits for a collector that does not answer', async () => {
    const { exporter } = exporterWith({ OTEL_BSP_MAX_QUEUE_SIZE: '2', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' });
    collector.stick(true);
    for (let count = 0; count < 10; count += 1) exporter.add(span(String(count)));
    expect(exporter.dropped).toBe(7);
    await exporter.close(50);
    exporter.add(span('too late'));
    expect([exporter.exported, exporter.dropped]).toEqual([0, 11]);
  });

  test('a collector that is not there costs spans and one line of the log', async () => {
    collector.close();
    const { exporter, log } = exporterWith({ OTEL_BSP_EXPORT_TIMEOUT: '50', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' });
    exporter.add(span('1'));
    exporter.add(span('2'));
    await exporter.close(5_000);
    expect([exporter.dropped, log.lines.length]).toEqual([2, 1]);
  });
});
