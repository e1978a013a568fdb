import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '@offhook/sdk'
import type { FaxPage } from '../fax/fax-pages.ts'
import { pdfOf } from '../fax/pdf-documents.ts'
import { startExchange, type Exchange } from './exchange.ts'
import { until } from '../machine/peer-process.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

type Entry = Awaited<ReturnType<Client['getOwnHistoryEntry']>>
type Status = NonNullable<Entry['faxStatusType']>

/** In another network, reached over the trunk. 0.019 per started minute. */
export const farFax = '+498912345678'
export const minutePrice = 190

const run = promisify(execFile)
const lineBytes = 1728 / 8

/** Letters of few rows: transmission time depends on rows, not ink. */
export const letter = (pages: number): Buffer =>
  pdfOf(
    Array.from({ length: pages }, (_, index) => {
      const strokes = Array.from({ length: 12 }, (__, line) => `${40 + line * 5} ${30 + line * 15} m 540 ${200 - line * 9 + index * 4} l S`)
      return { height: 260, content: `BT /F 40 Tf 60 200 Td (Page ${index + 1} of ${pages}) Tj ET 2 w ${strokes.join(' ')}` }
    }),
  )

/** As printed by poppler, in the middle of a fax line. */
export const printed = async (t: Scope, pdf: Uint8Array): Promise<FaxPage[]> => {
  const file = join(await temporaryFolder(t), 'letter.pdf')
  await writeFile(file, pdf)
  const args = ['-mono', '-cropbox', '-rx', '204', '-ry', '196', file]
  let { stdout: rest } = await run('pdftoppm', args, { encoding: 'buffer', maxBuffer: 100_000_000 })
  const pages: FaxPage[] = []
  while (rest.length > 0) {
    const [head = '', width, height] = /^P4\n(\d+) (\d+)\n/.exec(rest.subarray(0, 40).toString('latin1')) ?? []
    const page = { width: Number(width), height: Number(height) }
    const bytes = ((page.width + 7) >> 3) * page.height
    pages.push(centred({ ...page, bits: rest.subarray(head.length, head.length + bytes) }))
    rest = rest.subarray(head.length + bytes)
  }
  return pages
}

const centred = ({ width, height, bits }: FaxPage): FaxPage => {
  const rowBytes = (width + 7) >> 3
  const all = new Uint8Array(lineBytes * height)
  for (let row = 0; row < height; row++)
    all.set(bits.subarray(row * rowBytes, (row + 1) * rowBytes), row * lineBytes + ((lineBytes - rowBytes) >> 1))
  return { width: 1728, height, bits: all }
}

/** The real program with a trunk to the receiver of its faxes. */
export class FaxService {
  readonly exchange: Exchange
  readonly faxlineId: string

  private constructor(exchange: Exchange, faxlineId: string) {
    this.exchange = exchange
    this.faxlineId = faxlineId
  }

  /** `receiver`: host:port, reached over a trunk; omitted if there is one from an earlier run. */
  static async start(t: Scope, { receiver, ...settings }: Record<string, string> & { receiver?: string }): Promise<FaxService> {
    const exchange = await startExchange(t, settings)
    const [host = '', port] = receiver?.split(':') ?? []
    if (receiver !== undefined) await exchange.newTrunk(host, { port: Number(port) })
    const [faxline] = (await exchange.admin.listFaxlines({ userId: exchange.userId })).items
    return new FaxService(exchange, faxline?.id ?? '')
  }

  /** Points the trunk there from now on. */
  async leadTo(receiver: string): Promise<void> {
    const { operator } = this.exchange
    const [host = '', port] = receiver.split(':')
    const [trunk] = (await operator.listTrunks({})).items
    const settings = { name: 'Carrier', host, port: Number(port), sourceAddresses: [host] }
    await operator.updateTrunk({ trunkId: trunk?.id ?? '' }, settings)
  }

  /** Returns its id. */
  async send(pdf: Buffer): Promise<string> {
    const fax = { faxlineId: this.faxlineId, recipient: farFax, filename: 'letter.pdf', base64Content: pdf.toString('base64') }
    return (await this.exchange.admin.sendFax({}, fax)).sessionId
  }

  entry(entryId: string): Promise<Entry> {
    return this.exchange.admin.getOwnHistoryEntry({ entryId })
  }

  /** History entry once it has one of these statuses. */
  becomes(id: string, wanted: readonly Status[], ms = 150_000): Promise<Entry> {
    const look = async (): Promise<Entry | undefined> => {
      const entry = await this.entry(id)
      return entry.faxStatusType && wanted.includes(entry.faxStatusType) ? entry : undefined
    }
    return until(`${wanted.join(' or ')} of a fax`, look, ms)
  }

  /** Resolves when this many pages are confirmed to the service. */
  async confirmed(id: string, pages: number): Promise<void> {
    await until(`${pages} confirmed pages of a fax`, async () => (await this.entry(id)).pagesSent === pages || undefined, 150_000)
  }

  /** Charges for faxes, and reservations. */
  async money(): Promise<{ charges: number[]; reserved: number }> {
    const { reserved, items } = await this.exchange.operator.readBalance({ accountId: this.exchange.accountId, limit: 100 })
    return { charges: items.filter(({ reason }) => reason === 'fax').map(({ amount }) => amount), reserved }
  }
}
