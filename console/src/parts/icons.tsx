/** Icons of 16 by 16, drawn with one stroke; each has a word beside it. */
const PATHS = {
  overview: 'M2 9h4v5H2zM10 2h4v12h-4zM6 6h4v8H6z',
  approvals: 'M8 1.5l5.5 2v4c0 3.5-2.3 6-5.5 7-3.200-1-5.500-3.500-5.500-7v-4zM5.500 8l2 2 3.500-4',
  servers: 'M2 2.500h12v4H2zM2 9.500h12v4H2zM4.500 4.500h.01M4.500 11.500h.01',
  tools:
    'M9.500 2.200a3.500 3.500 0 0 0-3.300 5L2 11.400 4.600 14l4.200-4.200a3.500 3.500 0 0 0 4.700-4.400L11.300 7.600 8.800 7.200 8.400 4.700z',
  audit: 'M3 1.500h10v13H3zM5.500 5h5M5.500 8h5M5.500 11h3',
  policy: 'M8 2v12M3 4.500h10M3 4.500l-1.500 4h3zM13 4.500l-1.500 4h3zM5.500 14h5',
  context: 'M2 3.500c2-1 4-1 6 0 2-1 4-1 6 0v9.500c-2-1-4-1-6 0-2-1-4-1-6 0zM8 3.500V13',
  names: 'M1.500 8l6-6h6v6l-6 6zM10.500 5h.01',
  civic: 'M2 14h12M3 6.500h10L8 2zM4 6.500V14M8 6.500V14M12 6.500V14',
  settings: 'M2 4h7M13 4h1M2 12h1M7 12h7M9 2.500h4v3H9zM3 10.500h4v3H3z',
  ok: 'M3 8.500l3 3 7-7',
  asks: 'M5.500 6a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .8-1 1.700M8 13h.01',
  warning: 'M8 2l6.500 12h-13zM8 6.500v3.500M8 12h.01',
  failed: 'M4 4l8 8M12 4l-8 8',
  off: 'M3 8h10',
  connecting: 'M8 2a6 6 0 1 0 6 6',
  key: 'M10.500 5.500a3 3 0 1 1-2.600-3M8 7l-6 6v1.500h2.500V13H6v-1.500h1.500',
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.500 10.500L14 14',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  theme: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12',
  more: 'M3.500 8h.01M8 8h.01M12.500 8h.01',
  close: 'M4 4l8 8M12 4l-8 8',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
