import { useEffect, useRef, useState } from 'preact/hooks';
import { bytes } from '../data/format.ts';
import { href, withQuery } from '../data/router.ts';
import type { Tool } from '../data/types.ts';
import { Badge } from '../parts/basics.tsx';
import { Json } from '../parts/json.tsx';
import { Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly data?: unknown;
  readonly mimeType?: unknown;
}

export interface Result {
  readonly isError?: boolean;
  readonly content?: readonly Block[];
}

/** The answer of a tool: texts as text, pictures as pictures, anything else as JSON. */
export function CallResult({ result, tool }: { readonly result: Result; readonly tool: Tool }) {
  const { content = [] } = result;
  const calls = withQuery(href('audit'), { server: tool.server, tool: tool.original_name });
  return (
    <section>
      <p>
        {result.isError === true ? (
          <Badge tone="failed">{t.tools.failed}</Badge>
        ) : (
          <Badge tone="ok">{t.tools.answered}</Badge>
        )}{' '}
        <a href={calls}>{t.tools.seeAudit}</a>
      </p>
      {content.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </section>
  );
}

const PICTURE = /^image\/(png|jpeg|gif|webp)$/;

function BlockView({ block }: { readonly block: Block }) {
  if (block.type === 'text' && block.text !== undefined) {
    return (
      <pre>
        <Shown text={block.text} fold={8_000} />
      </pre>
    );
  }
  if (typeof block.data !== 'string') return <Json value={block} />;
  const size = bytes(Math.floor((block.data.length * 3) / 4));
  const type = String(block.mimeType ?? block.type);
  if (PICTURE.test(type)) return <Picture data={block.data} type={type} size={size} />;
  return <Json value={{ ...block, data: t.tools.dataOf(size) }} />;
}

interface PictureProps {
  readonly data: string;
  readonly type: string;
  readonly size: string;
}

/** Drawn from its bytes: the page loads no image from anywhere. */
function Picture({ data, type, size }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    let isGone = false;
    drawPicture(data, type).then(
      (picture) => {
        if (isGone || !canvas.current) return;
        canvas.current.width = picture.width;
        canvas.current.height = picture.height;
        canvas.current.getContext('2d')?.drawImage(picture, 0, 0);
      },
      () => setBroken(true),
    );
    return () => {
      isGone = true;
    };
  }, [data, type]);
  return (
    <figure class="picture">
      <figcaption class="faint">{isBroken ? t.tools.brokenPicture(type, size) : `${type}, ${size}`}</figcaption>
      {!isBroken && <canvas ref={canvas} width={0} height={0} role="img" aria-label={t.tools.picture(type)} />}
    </figure>
  );
}

function drawPicture(data: string, type: string): Promise<ImageBitmap> {
  const text = atob(data);
  return createImageBitmap(new Blob([Uint8Array.from(text, (one) => one.charCodeAt(0))], { type }));
}
