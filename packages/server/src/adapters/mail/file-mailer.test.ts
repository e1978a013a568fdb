import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { fileMailer } from './file-mailer.ts'

const from = 'Offhook <offhook@example.test>'

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'offhook-mail-'))
  t.after(() => rm(directory, { recursive: true }))
  return directory
}

function parse(message: string): { headers: Map<string, string>; body: string } {
  const end = message.indexOf('\n\n')
  const lines = message.slice(0, end).split('\n')
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(': ')).toLowerCase(), line.slice(line.indexOf(': ') + 2)]))
  assert.equal(headers.size, lines.length, 'no header twice')
  return { headers, body: message.slice(end + 2) }
}

test('writes a mail as a readable message file for the owner only, and reports its path', async (t) => {
  const directory = join(await temporaryDirectory(t), 'data', 'mail')
  const written: string[] = []
  const clock = new VirtualClock(Date.UTC(2026, 10, 15, 8, 30, 0, 123))
  const mailer = fileMailer({ directory, from, clock, onWritten: (path) => written.push(path) })
  const text = 'Guten Tag,\r\nhier klicken: https://offhook.test/reset?token=a=b%20c\n.\nGrüße'
  await mailer.send({ to: 'jörg+x@example.test', subject: 'Passwort zurücksetzen', text })
  assert.equal(written.length, 1)
  assert.match(basename(written[0]!), /^20261115T083000123Z-000000-[0-9a-f]{8}\.eml$/)
  assert.equal((await stat(written[0]!)).mode & 0o777, 0o600)
  assert.equal((await stat(directory)).mode & 0o777, 0o700)
  const { headers, body } = parse(await readFile(written[0]!, 'utf8'))
  assert.equal(headers.get('to'), 'jörg+x@example.test')
  assert.equal(headers.get('from'), from)
  assert.equal(headers.get('subject'), 'Passwort zurücksetzen')
  assert.equal(headers.get('date'), 'Sun, 15 Nov 2026 08:30:00 +0000')
  assert.match(headers.get('message-id')!, /^<[\w-]+@offhook\.invalid>$/)
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(body, 'Guten Tag,\nhier klicken: https://offhook.test/reset?token=a=b%20c\n.\nGrüße\n')
})

test('includes attachments in the file, for mail programs', async (t) => {
  const directory = await temporaryDirectory(t)
  const mailer = fileMailer({ directory, from, clock: new VirtualClock() })
  const content = Buffer.alloc(200_000, 'some fax')
  await mailer.send({ to: 'a@b.test', subject: 'Fax', text: 'Look', attachment: { name: 'fax.pdf', type: 'application/pdf', content } })
  const [name] = await readdir(directory)
  const { headers, body } = parse(await readFile(join(directory, name!), 'utf8'))
  const border = /^multipart\/mixed; boundary="(.+)"$/.exec(headers.get('content-type')!)?.[1] ?? assert.fail()
  const [, text, file, end] = body.split(`--${border}`)
  assert.deepEqual([text && parse(text.slice(1)).body, end], ['Look\n', '--\n'])
  const attached = parse(file!.slice(1))
  assert.equal(attached.headers.get('content-disposition'), 'attachment; filename="fax.pdf"')
  assert.ok(Buffer.from(attached.body, 'base64').equals(content))
  assert.ok(attached.body.split('\n').every((line) => line.length <= 76))
})

test('names sort in sending order, also within one millisecond, and no partial file stays', async (t) => {
  const directory = await temporaryDirectory(t)
  const clock = new VirtualClock()
  const mailer = fileMailer({ directory, from, clock })
  await Promise.all(Array.from({ length: 20 }, (_, index) => mailer.send({ to: 'a@b.test', subject: String(index), text: '' })))
  await clock.advance(1)
  await mailer.send({ to: 'a@b.test', subject: '20', text: '' })
  const names = (await readdir(directory)).toSorted()
  assert.ok(names.every((name) => name.endsWith('.eml')))
  const subjects = await Promise.all(names.map(async (name) => parse(await readFile(join(directory, name), 'utf8')).headers.get('subject')))
  assert.deepEqual(
    subjects,
    Array.from({ length: 21 }, (_, index) => String(index)),
  )
})

test('rejects line breaks and second recipients in the headers, and writes no file', async (t) => {
  const directory = await temporaryDirectory(t)
  const mailer = fileMailer({ directory, from, clock: new VirtualClock(), onWritten: () => assert.fail('written') })
  const recipients = [
    '',
    'a',
    'a@',
    '@b',
    'a@b.test\r\nBcc: x@y.test',
    'a@b.test\nX: y',
    'a@b.test, x@y.test',
    'a@b.test;x@y.test',
    'a@b@c',
  ]
  recipients.push('<a@b.test>', 'A <a@b.test>', ' a@b.test', 'a@b.test ', 'a@b.test\0', 'a@b.test\u0085', `${'a'.repeat(250)}@b.test`)
  for (const to of recipients) await assert.rejects(mailer.send({ to, subject: 's', text: '' }), /"to" is not one mail address/, to)
  for (const subject of ['a\r\nBcc: x@y.test', 'a\nb', 'a\rb', '\0']) {
    await assert.rejects(mailer.send({ to: 'a@b.test', subject, text: '' }), /"subject" has a line break/)
  }
  assert.deepEqual(await readdir(directory), [])
  assert.throws(() => fileMailer({ directory, from: 'a@b.test\nX: y', clock: new VirtualClock() }), /sender/)
})

test('reports a mail whose file cannot be written', async (t) => {
  const directory = await temporaryDirectory(t)
  const inTheWay = join(directory, 'mail')
  await writeFile(inTheWay, 'a file where the directory should be')
  await chmod(inTheWay, 0o600)
  const mailer = fileMailer({ directory: inTheWay, from, clock: new VirtualClock(), onWritten: () => assert.fail('written') })
  await assert.rejects(mailer.send({ to: 'a@b.test', subject: 's', text: 't' }), { code: 'EEXIST' })
})
