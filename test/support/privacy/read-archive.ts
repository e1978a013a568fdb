import { tarEntries } from '#core/kernel/tar/tar-reader.ts'

/** Files of an export, by name. */
export const readArchive = async (archive: Uint8Array): Promise<Record<string, Buffer>> => {
  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    yield archive
  }
  const found: Record<string, Buffer> = {}
  for await (const { name, content } of tarEntries(pieces())) {
    const parts: Buffer[] = []
    for await (const part of content) parts.push(Buffer.from(part))
    found[name] = Buffer.concat(parts)
  }
  return found
}
