import { onEvent } from '../data/events.ts';
import { go, href } from '../data/router.ts';
import { perBrowser } from '../data/stores.ts';
import type { Approval } from '../data/types.ts';
import { t } from '../texts.ts';

const STORED_AS = 'bindery_console_notify';
const hasNotifications = 'Notification' in globalThis;
const isOn = perBrowser(
  hasNotifications && localStorage.getItem(STORED_AS) === 'on' && Notification.permission === 'granted',
);

/** Shows only the names of server and tool, because a notification may appear on a locked screen. */
onEvent(({ name, data }) => {
  if (name !== 'approval.created' || !isOn.value || document.hasFocus()) return;
  const { id, server, tool } = data as Approval;
  const notification = new Notification(t.approvals.notification, { body: `${server} / ${tool}`, tag: id });
  notification.addEventListener('click', () => {
    focus();
    go(href('approvals', id));
  });
});

/** The browser refused the permission. */
const isRefused = perBrowser(false);

async function toggle(): Promise<void> {
  isRefused.value = false;
  if (isOn.value) {
    localStorage.removeItem(STORED_AS);
    isOn.value = false;
  } else if ((await Notification.requestPermission()) === 'granted') {
    localStorage.setItem(STORED_AS, 'on');
    isOn.value = true;
  } else {
    isRefused.value = true;
  }
}

export function NotifyButton() {
  if (!hasNotifications) return null;
  return (
    <>
      {isRefused.value && (
        <span class="faint" role="alert">
          {t.approvals.notifyRefused}
        </span>
      )}
      <button type="button" aria-pressed={isOn.value} onClick={() => void toggle()}>
        {isOn.value ? t.approvals.notifyOn : t.approvals.notifyOff}
      </button>
    </>
  );
}
