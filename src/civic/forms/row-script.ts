/**
 * Adds rows to lists in a form, without a framework. Without the script the first row works and the button stays hidden. The text is
 * constant, so that pages can allow it by its hash.
 */
export const ROW_SCRIPT =
  "for(const list of document.querySelectorAll('form[data-form=onboarding] [data-input=row_list]')){const first=list.querySelector('[data-row]'),button=list.querySelector('[data-add-row]');let count=1;button.hidden=false;button.addEventListener('click',()=>{if(count>=50)return;const row=first.cloneNode(true);row.dataset.row=count;for(const part of row.querySelectorAll('[name],[for]')){for(const [member,mark] of [['name','.'],['id','-'],['for','-']]){if(part.hasAttribute(member))part.setAttribute(member,part.getAttribute(member).replace(mark+'0'+mark,mark+count+mark))}if(part.type==='checkbox')part.checked=false;else if('value' in part)part.value=''}button.parentElement.before(row);row.querySelector('select,input').focus();count++})}";

/** The value that a page adds to `script-src` of its Content-Security-Policy. */
export const ROW_SCRIPT_SOURCE = "'sha256-+RheDsba7WC22HqSYnsz7SYCO+1veuMmZWRmTR1d4SU='";
