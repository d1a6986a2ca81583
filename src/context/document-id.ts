/** The id of the document at this path below the sources: forward slashes, no leading `./`, lower case. */
export function toDocumentId(relativePath: string): string {
  return relativePath
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '')
    .toLowerCase();
}
