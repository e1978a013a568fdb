import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { differentPixels, drawFaxPage, type FaxPage } from '#test/fax/fax-pages.ts'
import { letter, printed } from '#test/service/fax-service.ts'
import { needs } from '#test/peers/debian.ts'
import { startEfax } from '#test/peers/efax.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

const run = promisify(execFile)
const caller = '+498912345678'
const pageHeight = 500

/** Service with a carrier, a fax line with a number, and a user with a mail notification about received faxes. */
const start = async (t: TestContext, settings: Record<string, string> = {}) => {
  const exchange = await startExchange(t, settings)
  const { admin, userId } = exchange
  await exchange.newTrunk('127.0.0.1')
  const [faxline] = (await admin.listFaxlines({ userId })).items
  const faxlineId = faxline?.id ?? assert.fail('no fax line')
  const number = await exchange.newNumber(faxlineId)
  const input = { type: 'FAX', endpointId: faxlineId, via: 'EMAIL', recipient: 'ada@example.com', direction: 'INCOMING' } as const
  await admin.createNotification({ userId }, input)
  return { exchange, number, faxlineId }
}

/** Received fax, once it is there. */
const received = ({ admin }: Exchange, direction = 'INCOMING', ms = 120_000) =>
  until('a fax', async () => (await admin.listOwnHistory({ types: ['FAX'] })).items.find((one) => one.direction === direction), ms)

/** Pages as rendered by another program. */
const pagesOf = async (t: TestContext, pdf: Uint8Array): Promise<FaxPage[]> => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'fax.pdf'), pdf)
  await run('pdfimages', [join(folder, 'fax.pdf'), join(folder, 'page')])
  const names = (await readdir(folder)).filter((name) => name.endsWith('.pbm')).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name))
      const [head = '', width, height] = /^P4\n(\d+) (\d+)\n/.exec(bytes.subarray(0, 40).toString('latin1')) ?? []
      return { width: Number(width), height: Number(height), bits: bytes.subarray(head.length) }
    }),
  )
}

const fetched = async (url: string | undefined): Promise<Buffer> => {
  const reply = await fetch(url ?? assert.fail('nothing to fetch'))
  assert.equal(reply.status, 200)
  return Buffer.from(await reply.arrayBuffer())
}

/** First mail about it in the data folder. */
const mail = async ({ data }: Exchange): Promise<string> => {
  const find = async () => {
    const names = await readdir(join(data, 'mail')).catch(() => [])
    const texts = await Promise.all(names.filter((name) => name.endsWith('.eml')).map((name) => readFile(join(data, 'mail', name), 'utf8')))
    return texts.find((text) => text.includes('To: ada@example.com'))
  }
  return until('a mail', find)
}

const attachedTo = (text: string): Buffer => Buffer.from(/filename="fax\.pdf"\n\n([\w+/=\n]+)\n--/.exec(text)?.[1] ?? '', 'base64')

suite('faxes that come', { concurrency: true }, () => {
  test('puts received pages into the history and the mail unchanged', async (t) => {
    if (!(await needs(t, 'efax', 'socat', 'pdfimages', 'libspandsp.so.2'))) return
    const { exchange, number, faxlineId } = await start(t)
    const efax = await startEfax(t, { server: exchange.sip, user: caller, station: '+49 89 12345678' })
    const pages = [drawFaxPage(1, pageHeight), drawFaxPage(2, pageHeight)]
    const { code, log } = await efax.send(number.slice(1), pages).ended
    assert.equal(code, 0, log)
    const entry = await received(exchange)
    assert.deepEqual([entry.source, entry.target, entry.sourceAlias.trim()], [caller, number, '+49 89 12345678'])
    assert.deepEqual([entry.faxStatusType, entry.pageCount, entry.connectionIds], ['SENT', 2, [faxlineId]])
    const pdf = await fetched(entry.documentUrl)
    const seen = await pagesOf(t, pdf)
    assert.equal(seen.length, 2)
    for (const [index, page] of pages.entries()) assert.equal(differentPixels(page, seen[index] ?? assert.fail()), 0, `page ${index + 1}`)
    assert.equal((await fetched(entry.previewUrl)).subarray(1, 4).toString(), 'PNG')
    const text = await mail(exchange)
    assert.match(text, new RegExp(`Subject: .*\\${caller}`))
    assert.ok(attachedTo(text).equals(pdf))
    assert.deepEqual((await exchange.admin.listOwnHistory({ types: ['CALL'] })).items, [])
  })

  test('keeps the first page when the other fax machine dies on its second', async (t) => {
    if (!(await needs(t, 'efax', 'socat', 'pdfimages', 'libspandsp.so.2'))) return
    const { exchange, number } = await start(t)
    const efax = await startEfax(t, { server: exchange.sip, user: caller })
    const pages = [drawFaxPage(3, pageHeight), drawFaxPage(4, 1100)]
    const sending = efax.send(number.slice(1), pages)
    await sending.page(2)
    await sending.kill()
    const entry = await received(exchange)
    assert.deepEqual([entry.faxStatusType, entry.pageCount], ['FAILED', 1], entry.faxReason)
    assert.ok(entry.faxReason)
    const [first, ...others] = await pagesOf(t, await fetched(entry.documentUrl))
    assert.equal(others.length, 0)
    assert.equal(differentPixels(pages[0] ?? assert.fail(), first ?? assert.fail()), 0)
    assert.ok(attachedTo(await mail(exchange)).length > 0)
  })

  test('keeps the confirmed page after a restart when the service is killed during reception', async (t) => {
    if (!(await needs(t, 'efax', 'socat', 'pdfimages', 'libspandsp.so.2'))) return
    const data = await temporaryFolder(t)
    const { exchange, number } = await start(t, { OFFHOOK_DATA: data })
    const efax = await startEfax(t, { server: exchange.sip, user: caller })
    const pages = [drawFaxPage(5, pageHeight), drawFaxPage(6, 1100)]
    const sending = efax.send(number.slice(1), pages)
    await sending.page(2)
    exchange.program.child.kill('SIGKILL')
    await exchange.program.ended
    await sending.kill()
    const again = await startExchange(t, { OFFHOOK_DATA: data })
    const entry = await received(again)
    assert.deepEqual([entry.faxStatusType, entry.source, entry.target], ['FAILED', caller, number])
    const [first] = await pagesOf(t, await fetched(entry.documentUrl))
    assert.equal(differentPixels(pages[0] ?? assert.fail(), first ?? assert.fail()), 0)
    assert.deepEqual((await again.admin.listOwnHistory({ types: ['CALL'] })).items, [])
  })

  test('delivers a fax between local fax lines without a modem', async (t) => {
    if (!(await needs(t, 'pdfimages'))) return
    const { exchange, number, faxlineId } = await start(t)
    const pdf = letter(2)
    const fax = { faxlineId, recipient: number, filename: 'letter.pdf', base64Content: pdf.toString('base64') }
    const { sessionId } = await exchange.admin.sendFax({}, fax)
    const entry = await received(exchange)
    assert.deepEqual([entry.faxStatusType, entry.pageCount, entry.target], ['SENT', 2, number])
    const seen = await pagesOf(t, await fetched(entry.documentUrl))
    for (const [index, page] of (await printed(t, pdf)).entries()) assert.equal(differentPixels(page, seen[index] ?? assert.fail()), 0)
    const isReported = async () => {
      const { faxStatusType, reportUrl } = await exchange.admin.getOwnHistoryEntry({ entryId: sessionId })
      return faxStatusType === 'SENT' ? reportUrl : undefined
    }
    assert.equal((await fetched(await until('the report', isReported))).subarray(0, 5).toString(), '%PDF-')
  })
})
