import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Attachment, Mail, Mailer } from '#core/kernel/ports/outbound.ts'
import { refuseBadHeaders, refuseBadSender } from './header-rules.ts'

interface FileMailSettings {
  directory: string
  from: string
  clock: Clock
  /** Called with the path of each mail; it contains neither the address nor any content. */
  onWritten?: (path: string) => void
}

/** Without a mail server: writes every mail to a file that a person can read and a mail program can open. */
export function fileMailer({ directory, from, clock, onWritten }: FileMailSettings): Mailer {
  refuseBadSender(from)
  let count = 0
  return {
    async send(mail) {
      refuseBadHeaders(mail)
      const now = clock.now()
      const id = `${compactTime(now)}-${String(count++).padStart(6, '0')}-${randomBytes(4).toString('hex')}`
      const path = join(directory, `${id}.eml`)
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await writeWhole(path, messageOf(mail, from, now, id))
      onWritten?.(path)
    },
  }
}

/** Sorts by time as text: 20261115T083000123Z. */
function compactTime(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:.]/g, '')
}

/** Header lines in UTF-8 (RFC 6532) and an unencoded body, so that links can be copied from the file; lines end as in a Maildir. */
async function* messageOf(mail: Mail, from: string, now: number, id: string): AsyncGenerator<string, void, undefined> {
  const headers = [
    `Date: ${new Date(now).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@offhook.invalid>`,
    `From: ${from}`,
    `To: ${mail.to}`,
    `Subject: ${mail.subject}`,
    'MIME-Version: 1.0',
  ]
  const text = `${plainText.join('\n')}\n\n${mail.text.replaceAll(/\r\n?/g, '\n')}\n`
  yield `${headers.join('\n')}\n`
  if (!mail.attachment) {
    yield text
    return
  }
  const border = `=_${id}`
  yield `Content-Type: multipart/mixed; boundary="${border}"\n\n--${border}\n${text}--${border}\n`
  yield* attachedFile(mail.attachment)
  yield `--${border}--\n`
}

const plainText = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit']

/** Lines of 76 letters, in chunks that block the event loop only briefly. */
const chunkBytes = 57 * 1024

function* attachedFile({ name, type, content }: Attachment): Generator<string, void, undefined> {
  const headers = [`Content-Type: ${type}`, 'Content-Transfer-Encoding: base64', `Content-Disposition: attachment; filename="${name}"`]
  yield `${headers.join('\n')}\n\n`
  for (let at = 0; at < content.length; at += chunkBytes)
    yield Buffer.from(content.subarray(at, at + chunkBytes))
      .toString('base64')
      .replaceAll(/.{1,76}/g, '$&\n')
}

/** The file is never visible half-written under its name. */
async function writeWhole(path: string, text: AsyncIterable<string>): Promise<void> {
  const draft = `${path}.part`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Headers and text come first; attachments add nothing to them. */
const searchedBytes = 64 * 1024

/** Removes mails that were written to files. `concerns`: by their text, and the time in their name. */
export const eraseMails = async (directory: string, concerns: (text: string, writtenAt: number) => boolean): Promise<void> => {
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    const writtenAt = timeOf(name)
    if (writtenAt === undefined) continue
    const path = join(directory, name)
    if (concerns(await beginningOf(path), writtenAt)) await rm(path, { force: true })
  }
}

const timeOf = (name: string): number | undefined => {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-.*\.eml$/.exec(name)
  if (!found) return undefined
  const [year = 0, month = 1, day, hour, minute, second, ms] = found.slice(1).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second, ms)
}

const beginningOf = async (path: string): Promise<string> => {
  const file = await open(path).catch(() => undefined) // it was removed
  if (!file) return ''
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(searchedBytes), 0, searchedBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
