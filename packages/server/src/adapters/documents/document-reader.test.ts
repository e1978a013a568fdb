// test: slow
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentKinds } from '@offhook/contract/v3/knowledge.ts'
import { startLimited } from '#adapters/fax/limited-child.ts'
import { DocumentUnreadable, ReaderDied, type DocumentKind } from '#core/kernel/ports/files.ts'
import { pdfOf } from '#test/fax/pdf-documents.ts'
import { documentReader, type StartLimited } from './document-reader.ts'

const maxPassages = 20_000
const { signal } = new AbortController()

const readAll = async (kind: DocumentKind, content: string | Buffer, start: StartLimited = startLimited) => {
  const passages: string[] = []
  const terms = new Map<string, string>()
  const reader = documentReader({ startLimited: start })
  for await (const one of reader.read({ kind, content: [Buffer.from(content)], maxPassages, signal })) {
    if ('term' in one) terms.set(one.term, one.postings)
    else passages.push(one.passage.text)
  }
  return { passages, terms }
}

const documents: Record<DocumentKind, string | Buffer> = {
  text: 'We open at nine.',
  markdown: '# Hours\n\nWe open at nine.',
  html: '<h1>Hours</h1><p>We open at nine.</p>',
  pdf: pdfOf([{ content: 'BT /F1 12 Tf 72 720 Td (We open at nine.) Tj ET' }]),
}

test('reads every kind of document in a separate process', async () => {
  for (const kind of documentKinds) {
    const started: string[] = []
    const counted: StartLimited = (command, args, limits) => {
      started.push(args.at(-3) ?? '')
      return startLimited(command, args, limits)
    }
    const { passages, terms } = await readAll(kind, documents[kind], counted)
    assert.deepEqual([started, passages, terms.get('nine')], [[kind], ['We open at nine.'], '0'], kind)
  }
})

test('rejects a page of 1.8 million open elements', async () => {
  const refused = { name: 'DocumentUnreadable', message: /1000 elements inside of each other/ }
  await assert.rejects(readAll('html', '<div>'.repeat(1_800_000)), refused)
  const { passages } = await readAll(
    'html',
    `${'<div>'.repeat(900)}deep${'</div>'.repeat(900)}${'<br>'.repeat(5_000)}${'<p>'.repeat(5_000)}wide`,
  )
  assert.deepEqual(passages, ['deep wide'])
})

test('cuts a word of megabytes into passages', async () => {
  const { passages } = await readAll('text', 'x'.repeat(3_000_000))
  assert.equal(passages.join('').length, 3_000_000)
  assert.ok(passages.every(({ length }) => length <= 4_000))
})

test('rejects a document that takes more memory than its process may have', async () => {
  const small: StartLimited = (command, args, limits) =>
    startLimited(
      command,
      args.map((one) => one.replace(/^(--max-old-space-size)=\d+$/, '$1=24')),
      limits,
    )
  const words = Array.from({ length: 700_000 }, (_, nth) => `w${nth.toString(36)}`).join(' ')
  await assert.rejects(
    readAll('text', words, small),
    (error) => error instanceof DocumentUnreadable && /time or memory/.test(error.message),
  )
})

test('distinguishes a dead process from an unreadable document', async () => {
  const dying: StartLimited = (_command, _args, limits) => startLimited('/bin/sh', ['-c', 'kill -KILL $$'], limits)
  await assert.rejects(readAll('text', 'x', dying), ReaderDied)
  await assert.rejects(readAll('text', '\0'), DocumentUnreadable)
  await assert.rejects(readAll('pdf', '%PDF-1.7 and then nonsense'), /damaged/)
})

test('ends the process when the service ends', async () => {
  const ending = new AbortController()
  const waiting: StartLimited = (_command, _args, limits) => startLimited('/bin/sleep', ['600'], limits)
  const reader = documentReader({ startLimited: waiting })
  const parts = reader.read({ kind: 'text', content: [Buffer.from('x')], maxPassages, signal: ending.signal })
  const read = parts[Symbol.asyncIterator]().next()
  setImmediate(() => ending.abort())
  await assert.rejects(read, { name: 'AbortError' })
})
