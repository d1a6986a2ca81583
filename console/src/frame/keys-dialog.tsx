import { Dialog } from '../parts/dialog.tsx';
import { t } from '../texts.ts';

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={t.keys.title} onClose={onClose}>
      <dl class="keys">
        {t.keys.list.map(([keys, what]) => (
          <div key={what}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
