/** Moves the focus to the first field of the page that has a fault, once it is shown. */
export function focusFault(): void {
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus();
  });
}
