import type { RecordingFiles, RecordingPart } from '#core/kernel/ports/files.ts'
import type { RecordingFile } from '#core/kernel/ports/audio.ts'

const gibibyte = 1024 ** 3

/** In-memory recordings: a file exists when a test adds it. */
export class ScriptedRecordings implements RecordingFiles {
  readonly files = new Map<string, { content: Uint8Array; changedAt: number }>()
  disk = { bytes: 100 * gibibyte, free: 50 * gibibyte }
  place: string | undefined
  /** Simulates a disk that cannot be written. */
  refuses = false

  put({ accountId, id }: RecordingFile, content: Uint8Array, changedAt = 0): void {
    this.files.set(`${accountId}/${id}`, { content, changedAt })
  }

  has({ accountId, id }: RecordingFile): boolean {
    return this.files.has(`${accountId}/${id}`)
  }

  pathOf({ accountId, id }: RecordingFile): string {
    return `${accountId}/${id}`
  }

  begun(): void {}

  async written(): Promise<void> {}

  async settle(): Promise<void> {}

  async join(parts: readonly RecordingPart[]) {
    const [first] = parts
    return first && this.open(first)
  }

  async open({ accountId, id }: RecordingFile) {
    const file = this.files.get(`${accountId}/${id}`)
    if (!file) return undefined
    const { content, changedAt } = file
    const read = async (position: number, length: number) => content.subarray(position, position + length)
    return { bytes: content.length, changedAt, read, close: async () => {} }
  }

  async measure({ accountId, id }: RecordingFile) {
    const bytes = this.files.get(`${accountId}/${id}`)?.content.length
    return bytes === undefined ? undefined : { bytes, durationMs: Math.round((bytes - 44) / 16) }
  }

  async leftBy(file: RecordingFile) {
    const here = await this.measure(file)
    if (here) return { ...here, awaited: false }
    return file.place === undefined || file.place === this.place ? undefined : { durationMs: 0, bytes: 0, awaited: true }
  }

  async erase({ accountId, id }: RecordingFile): Promise<void> {
    if (this.refuses) throw new Error('the disk cannot be written')
    this.files.delete(`${accountId}/${id}`)
  }

  async *list() {
    for (const [name, { changedAt }] of this.files) {
      const [accountId = '', id = ''] = name.split('/')
      yield { accountId, id, changedAt }
    }
  }

  async room() {
    return this.disk
  }
}
