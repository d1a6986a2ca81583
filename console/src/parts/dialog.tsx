import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts.ts';
import { ActionButton } from './basics.tsx';
import { Icon } from './icons.tsx';
import { Line } from './shown.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ComponentChildren;
}

/** A modal dialog: the element itself traps the focus and restores it. */
export function Dialog({ title, onClose, className = '', children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // Before the page is painted, so that what is typed next goes into it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      // The element that opened it may be removed with it: then the page gets the focus.
      requestAnimationFrame(() => {
        const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
        (isThere ? before : document.getElementById('content'))?.focus();
      });
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself.
    <dialog
      ref={element}
      class={className}
      aria-label={title}
      onClose={onClose}
      onCancel={onClose}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2>
            <Line text={title} />
          </h2>
          <button type="button" class="quiet" onClick={onClose} aria-label={t.common.close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What is lost. */
  readonly text: string;
  /** Must be typed if the loss cannot be undone. */
  readonly name?: string;
  readonly action: string;
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Names what is lost; if it cannot be undone, the person must type the name. */
export function ConfirmDialog({ title, text, name, action, run, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {name !== undefined && (
        <label>
          <Line text={t.common.typeName(name)} />
          <input
            value={typed}
            autoComplete="off"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
      )}
      <div class="actions">
        <ActionButton
          kind="danger"
          label={action}
          disabled={name !== undefined && typed !== name}
          run={() => run().then(onClose)}
        />
        <button type="button" onClick={onClose}>
          {t.common.cancel}
        </button>
      </div>
    </Dialog>
  );
}
