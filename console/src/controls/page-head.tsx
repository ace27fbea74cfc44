import { useEffect, useRef } from "preact/hooks";

/** Whether a page was shown before: the focus stays at the start of the document for the first. */
let isFirst = true;

/** The heading of a page. It takes the focus when the page opens, as a new document would, and names the window. */
export function PageHead({ title, lead }: { readonly title: string; readonly lead?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · engage`;
  }, [title]);
  return (
    <div class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead !== undefined && <p>{lead}</p>}
      </div>
    </div>
  );
}
