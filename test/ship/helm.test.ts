import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { parse, parseAllDocuments } from 'yaml'
import { ourRoot } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'

const run = promisify(execFile)
const chart = join(ourRoot, 'deploy/helm')
const kustomized = join(ourRoot, 'deploy/kubernetes')

interface Values {
  [name: string]: unknown
  settings: Record<string, string>
  gracePeriodSeconds: number
}

const read = async <T>(file: string): Promise<T> => parse(await readFile(join(chart, file), 'utf8')) as T
const defaults = (): Promise<Values> => read<Values>('values.yaml')

/**
 * Renders a template with kubectl, which has Go's own templates. Helm has the same and more functions: the chart uses none of the others,
 * since Debian has no Helm that could render them here.
 */
const render = async (t: TestContext, template: string, values: Values): Promise<string> => {
  const { name, version, appVersion } = await read<Record<string, string>>('Chart.yaml')
  const data = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'data' },
    Values: values,
    Release: { Name: 'offhook', Namespace: 'offhook', Service: 'Helm' },
    Chart: { Name: name, Version: version, AppVersion: appVersion },
  }
  const file = join(await temporaryFolder(t), 'data.json')
  await writeFile(file, JSON.stringify(data))
  const args = [
    'label',
    '--local',
    '--filename',
    file,
    'rendered=here',
    '--output',
    `go-template-file=${join(chart, 'templates', template)}`,
  ]
  const { stdout } = await run('kubectl', args)
  assert.doesNotMatch(stdout, /<no value>/, template)
  return stdout
}

interface Manifest {
  kind: string
  metadata: { name: string }
  data?: Record<string, string>
  spec?: { template?: { spec?: { containers?: { image?: string }[] } }; podMetricsEndpoints?: unknown }
}

const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((one) => one !== null)
    .toSorted((one, other) => (`${one.kind} ${one.metadata.name}` < `${other.kind} ${other.metadata.name}` ? -1 : 1))

const rendered = async (t: TestContext, values: Values): Promise<Manifest[]> => {
  const files = (await readdir(join(chart, 'templates'))).filter((name) => name.endsWith('.yaml'))
  const texts = await Promise.all(files.map((file) => render(t, file, values)))
  return manifestsIn(texts.join('\n---\n'))
}

const kustomize = async (folder: string): Promise<Manifest[]> => manifestsIn((await run('kubectl', ['kustomize', folder])).stdout)

suite('helm', () => {
  test('renders the manifests of kustomize, except for the namespace', async (t) => {
    if (!(await needs(t, 'kubectl'))) return
    const expected = (await kustomize(kustomized)).filter(({ kind }) => kind !== 'Namespace')
    assert.ok(expected.length > 8)
    assert.deepEqual(await rendered(t, await defaults()), expected)
  })

  test('renders the PodMonitor of kustomize where it is wanted', async (t) => {
    if (!(await needs(t, 'kubectl'))) return
    const [expected] = await kustomize(join(kustomized, 'monitoring'))
    const manifests = await rendered(t, { ...(await defaults()), podMonitor: true })
    assert.deepEqual(
      manifests.find(({ kind }) => kind === 'PodMonitor'),
      expected,
    )
  })

  test('puts values where they belong, quoted', async (t) => {
    if (!(await needs(t, 'kubectl'))) return
    const values = {
      ...(await defaults()),
      host: 'calls.example.com',
      settings: { OFFHOOK_LOG: 'error', OFFHOOK_SMS_SENDER: 'say "hi": on' },
      image: { repository: 'images.example.com/offhook', tag: '9.9.9' },
      storage: { size: '5Gi', className: 'fast' },
      ingress: { className: 'traefik', certificate: 'calls', annotations: { 'example.com/a': 'true' } },
    }
    const all = await rendered(t, values)
    const one = (kind: string, name: string): Manifest =>
      all.find((manifest) => manifest.kind === kind && manifest.metadata.name === name) ?? assert.fail(`there is no ${kind} ${name}`)
    const { data = {} } = one('ConfigMap', 'offhook')
    assert.equal(data['OFFHOOK_PUBLIC_URL'], 'https://calls.example.com')
    assert.equal(data['OFFHOOK_SMS_SENDER'], 'say "hi": on')
    assert.equal(one('StatefulSet', 'offhook').spec?.template?.spec?.containers?.[0]?.image, 'images.example.com/offhook:9.9.9')
    assert.match(JSON.stringify(one('StatefulSet', 'offhook')), /"storageClassName":"fast"/)
    assert.match(JSON.stringify(one('Ingress', 'offhook')), /"ingressClassName":"traefik"/)
    assert.match(JSON.stringify(one('Ingress', 'offhook')), /"annotations":\{"example\.com\/a":"true"\}/)
  })

  test('accepts its own values, and rejects misspelt ones and numbers as settings', async () => {
    const validate = new Ajv().compile(JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8')) as object)
    const values = await defaults()
    assert.ok(validate(values), JSON.stringify(validate.errors))
    assert.ok(!validate({ ...values, hots: 'phone.example.org' }))
    assert.ok(!validate({ ...values, settings: { OFFHOOK_DRAIN_SECONDS: 600 } }))
    assert.ok(!validate({ ...values, image: { repository: 'offhook' } }))
  })

  test('gives calls the time to end', async () => {
    const { settings, gracePeriodSeconds } = await defaults()
    assert.ok(gracePeriodSeconds >= Number(settings['OFFHOOK_DRAIN_SECONDS']) + 65)
  })

  test('prints notes without gaps', async (t) => {
    if (!(await needs(t, 'kubectl'))) return
    assert.match(
      await render(t, 'NOTES.txt', await defaults()),
      /^Offhook \d+\.\d+\.\d+ starts in the namespace offhook, with 3 to 10 processes for phone\.example\.org\./,
    )
  })
})
