import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '#test/store/databases.ts'
import { readSettings, reportSettings } from './config.ts'
import { masked } from './masked.ts'
import { settingsSchema } from './settings-schema.ts'

const fileWith = async (t: TestContext, text: string, mode = 0o600): Promise<string> => {
  const file = join(await temporaryFolder(t), 'offhook.env')
  await writeFile(file, text, { mode })
  await chmod(file, mode)
  return file
}

const sourceOf = (environment: Record<string, string>, name: string) => {
  const found = reportSettings(environment).inForce.find((one) => one.name === name)
  return [found?.text, found?.source]
}

test('takes settings from the environment, then the file, then the default', async (t) => {
  const file = await fileWith(
    t,
    '# our office\nexport OFFHOOK_COUNTRY=AT\n\nOFFHOOK_LOG=\'warn\' # quiet\nOFFHOOK_CORS="https://a.example,\nhttps://b.example"\nOFFHOOK_RTP=30000-30999\nPOSTGRES_PASSWORD=other\n',
  )
  const environment = { OFFHOOK_CONFIG: file, OFFHOOK_LOG: 'debug' }
  assert.deepEqual(reportSettings(environment).mistakes, [])
  assert.deepEqual(sourceOf(environment, 'OFFHOOK_LOG'), ['debug', { kind: 'environment' }])
  assert.deepEqual(sourceOf(environment, 'OFFHOOK_COUNTRY'), ['AT', { kind: 'file', where: `${file}:2` }])
  assert.deepEqual(
    sourceOf(environment, 'OFFHOOK_RTP'),
    ['30000-30999', { kind: 'file', where: `${file}:7` }],
    'after a value of two lines',
  )
  assert.deepEqual(sourceOf(environment, 'OFFHOOK_CURRENCY'), ['EUR', { kind: 'default' }])
  assert.deepEqual(readSettings(environment).OFFHOOK_CORS, ['https://a.example', 'https://b.example'])
})

test('reports all errors together with their places, and rejects misspelt names', async (t) => {
  const file = await fileWith(t, 'OFFHOOK_RTP=1-2\nOFFHOOK_CONTRY=AT\nwhat is this\nOFHOOK_HTTP=x\nOFFHOOK_LOG=info\nOFFHOOK_LOG=loud\n')
  const { mistakes, settings } = reportSettings({ OFFHOOK_CONFIG: file, OFFHOOK_DEMO: 'perhaps' })
  assert.equal(settings, undefined)
  assert.deepEqual(
    mistakes.toSorted(),
    [
      `OFFHOOK_DEMO must be on or off`,
      `OFFHOOK_LOG must be one of fatal, error, warn, info, debug (${file}:6)`,
      `OFFHOOK_RTP must be two ports from 1024 to 65535, such as 20000-29999 (${file}:1)`,
      `${file}:3 is neither NAME=value nor a comment`,
      `${file}:6 says OFFHOOK_LOG again; line 5 did`,
      `OFFHOOK_CONTRY is not a setting (${file}:2). Did you mean OFFHOOK_COUNTRY?`,
      `OFHOOK_HTTP is not a setting (${file}:4). Did you mean OFFHOOK_HTTP?`,
    ].toSorted(),
  )
  assert.match(reportSettings({ OFFHOOK_CONFIG: '/nowhere/x.env' }).mistakes.join(), /^The configuration file cannot be read: ENOENT/)
  const { warnings } = reportSettings({ OFFHOOK_SIPP: 'x', OFFHOOK_PORT_8080_TCP_ADDR: '10.0.0.1', OFFHOOK_SERVICE_HOST: '10.0.0.1' })
  assert.deepEqual(warnings, ['OFFHOOK_SIPP is not a setting and has no effect; is it misspelt? Did you mean OFFHOOK_SIP?'])
})

test('reads secrets from files and from systemd credentials', async (t) => {
  const folder = await temporaryFolder(t)
  const [key, url, credentials] = [join(folder, 'key'), join(folder, 'url'), join(folder, 'credentials')]
  await mkdir(credentials)
  await writeFile(key, 'sk-secret\n', { mode: 0o600 })
  await writeFile(url, 'postgres://u:p@db/x\n', { mode: 0o600 })
  await writeFile(join(credentials, 'OFFHOOK_METRICS_TOKEN'), 'scrape', { mode: 0o400 })
  await writeFile(join(credentials, 'OFFHOOK_COUNTRY'), 'AT')
  const OFFHOOK_CONFIG = await fileWith(t, `DATABASE_URL_FILE=${url}\nOFFHOOK_OPENAI_KEY=other\n`)
  const environment = { OFFHOOK_OPENAI_KEY_FILE: key, OFFHOOK_CONFIG, CREDENTIALS_DIRECTORY: credentials }
  const { OFFHOOK_OPENAI_KEY, DATABASE_URL, OFFHOOK_METRICS_TOKEN, OFFHOOK_COUNTRY } = readSettings(environment)
  assert.deepEqual(
    [OFFHOOK_OPENAI_KEY, DATABASE_URL, OFFHOOK_METRICS_TOKEN, OFFHOOK_COUNTRY],
    ['sk-secret', 'postgres://u:p@db/x', 'scrape', 'DE'],
    'only secrets are credentials',
  )
  assert.deepEqual(sourceOf(environment, 'DATABASE_URL')[1], { kind: 'secret file', where: url })
  assert.deepEqual(sourceOf(environment, 'OFFHOOK_METRICS_TOKEN')[1], {
    kind: 'credential',
    where: join(credentials, 'OFFHOOK_METRICS_TOKEN'),
  })
  assert.deepEqual(reportSettings(environment).warnings, [])
})

test('rejects a secret set twice or in an unreadable file, and warns about a world-readable one', async (t) => {
  const open = await fileWith(t, 'sk-secret\n', 0o644)
  const mistakesOf = (environment: Record<string, string>) => reportSettings(environment).mistakes.join('\n')
  assert.match(mistakesOf({ OFFHOOK_S3_KEY: 'a', OFFHOOK_S3_KEY_FILE: open }), /^OFFHOOK_S3_KEY and OFFHOOK_S3_KEY_FILE are both set: only/)
  assert.match(mistakesOf({ OFFHOOK_S3_KEY_FILE: '/nowhere/key' }), /^OFFHOOK_S3_KEY_FILE names a file that cannot be read: ENOENT/)
  assert.match(mistakesOf({ OFFHOOK_S3_KEY_FILE: await fileWith(t, '\n') }), /which is empty/)
  assert.match(reportSettings({ OFFHOOK_S3_KEY_FILE: open }).warnings.join(), /^others on this machine can read .*: chmod 640/)
  const config = await fileWith(t, 'OFFHOOK_S3_KEY=abc\n', 0o644)
  assert.match(reportSettings({ OFFHOOK_CONFIG: config }).warnings.join(), /offhook\.env, which says OFFHOOK_S3_KEY: chmod 640/)
  assert.deepEqual(reportSettings({ OFFHOOK_COUNTRY_FILE: open }).warnings.length, 1, 'only secrets have files')
})

test('hides all secrets, and declares every setting that may hold one', () => {
  assert.equal(masked('OFFHOOK_OPENAI_KEY', 'sk-secret'), '•••')
  assert.equal(masked('DATABASE_URL', 'postgres://me:p@ss/w?rd@db.example/offhook?password=x'), 'postgres://•••')
  assert.equal(masked('DATABASE_URL', 'postgres://me:pw@db.example/offhook?sslmode=require'), 'postgres://•••@db.example/offhook?•••')
  assert.equal(masked('OFFHOOK_BUS', 'tls://token@a:4222,tls://b:4222'), 'tls://•••@a:4222,tls://b:4222')
  assert.equal(masked('DATABASE_URL', 'not an address but perhaps a password'), '•••')
  assert.equal(masked('OFFHOOK_COUNTRY', 'DE'), 'DE')
  const suspect = Object.entries(settingsSchema).filter(
    ([name, { secret, description }]) =>
      secret === undefined && (/SECRET|TOKEN|_KEY$|PASSWORD$/.test(name) || /user:password@/.test(description)),
  )
  const files = ['OFFHOOK_TLS_KEY', 'OFFHOOK_PUSH_KEY', 'OFFHOOK_BUS_KEY'] // they name a file
  assert.deepEqual(
    suspect.map(([name]) => name),
    files,
  )
})
