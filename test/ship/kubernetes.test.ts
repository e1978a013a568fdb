import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { StatefulSet, Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.d.ts'
import type { ConfigMap, Service } from 'kubernetes-types/core/v1.d.ts'
import type { Ingress } from 'kubernetes-types/networking/v1.d.ts'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import { parse, parseAllDocuments } from 'yaml'
import { ourRoot } from '#test/machine/program.ts'
import { assertSettings } from '#test/machine/settings-check.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'

const run = promisify(execFile)
const folder = join(ourRoot, 'deploy/kubernetes')

interface Kinds {
  ConfigMap: ConfigMap
  StatefulSet: StatefulSet
  Deployment: Deployment
  Service: Service
  Ingress: Ingress
  HorizontalPodAutoscaler: HorizontalPodAutoscaler
  PodDisruptionBudget: PodDisruptionBudget
}

type Manifest = { apiVersion: string; kind: string; metadata: { name: string } }

/** Manifests as combined in docs/guides/kubernetes.md. */
const manifests = async (): Promise<Manifest[]> => {
  const { stdout } = await run('kubectl', ['kustomize', folder])
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest)
}

const find = <K extends keyof Kinds>(all: readonly Manifest[], kind: K, name = 'offhook'): Kinds[K] =>
  (all.find((one) => one.kind === kind && one.metadata.name === name) ?? assert.fail(`there is no ${kind} ${name}`)) as Kinds[K]

/** `apps/v1` → `apps/v1`, `networking.k8s.io/v1` → `networking/v1`, `v1` → `core/v1`. */
const moduleOf = (apiVersion: string): string => {
  const [group = '', version] = apiVersion.split('/')
  return version === undefined ? `core/${group}` : `${group.split('.')[0]}/${version}`
}

/** The types are generated from Kubernetes' OpenAPI: as literals, an extra field or a wrong type does not compile. */
const compile = async (t: TestContext, all: readonly Manifest[]): Promise<string> => {
  const place = await temporaryFolder(t)
  const lines = all.map((one, index) => {
    const type = `import('${join(ourRoot, 'node_modules/kubernetes-types', moduleOf(one.apiVersion))}').${one.kind}`
    return `export const m${index}: ${type} = ${JSON.stringify(one, undefined, 1)}\n`
  })
  const file = join(place, 'manifests.ts')
  await writeFile(file, lines.join(''))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler', '--ignoreConfig']
  return run(join(ourRoot, 'node_modules/.bin/tsc'), [...options, file]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

suite('kubernetes', () => {
  test('builds the manifests with kubectl, matching the Kubernetes API', async (t) => {
    if (!(await needs(t, 'kubectl'))) return
    const all = await manifests()
    assert.equal(await compile(t, all), '')
    const set = structuredClone(find(all, 'StatefulSet')) as unknown as Manifest & { spec: { template: { spec: Record<string, unknown> } } }
    set.spec.template.spec['hostNetwrk'] = true
    assert.match(await compile(t, [set]), /hostNetwrk/, 'what is misspelt would be seen')
  })

  test('has consistent names, labels and ports', async (t) => {
    if (!(await needs(t, 'kubectl'))) return
    const all = await manifests()
    const { spec } = find(all, 'StatefulSet')
    const [pods, edge] = [spec?.template, find(all, 'Deployment', 'edge').spec?.template]
    assert.deepEqual(spec?.selector.matchLabels, pods?.metadata?.labels)
    assert.deepEqual(find(all, 'PodDisruptionBudget').spec?.selector?.matchLabels, pods?.metadata?.labels)
    assert.ok(find(all, 'Service', spec?.serviceName).spec?.publishNotReadyAddresses)
    const behind = { offhook: pods, 'offhook-processes': pods, edge }
    for (const [name, template] of Object.entries(behind)) {
      const service = find(all, 'Service', name).spec
      assert.deepEqual(service?.selector, template?.metadata?.labels, name)
      const ports = template?.spec?.containers[0]?.ports?.map((port) => port.name)
      for (const { targetPort } of service?.ports ?? []) assert.ok(ports?.includes(String(targetPort)), `${name} ${String(targetPort)}`)
    }
    for (const { backend } of find(all, 'Ingress').spec?.rules?.[0]?.http?.paths ?? []) {
      const ports = find(all, 'Service', backend.service?.name).spec?.ports?.map(({ name }) => name)
      assert.ok(ports?.includes(backend.service?.port?.name))
    }
    for (const template of [pods, edge]) assert.match(template?.spec?.containers[0]?.image ?? '', /:\d+\.\d+\.\d+$/)
  })

  test('knows every setting it gets, is probed where it answers, and gives calls the time to end', async (t) => {
    if (!(await needs(t, 'kubectl'))) return
    const all = await manifests()
    const { data = {} } = find(all, 'ConfigMap')
    const pod = find(all, 'StatefulSet').spec?.template.spec ?? assert.fail()
    const [container = assert.fail()] = pod.containers
    const own = (container.env ?? []).filter(({ name }) => name !== 'NODE_ADDRESS')
    const fixed = own.map(({ name, value = 'offhook-0' }) => [name, value.replace('$(NODE_ADDRESS)', '10.0.0.11')] as const)
    const secrets = { DATABASE_URL: 'postgres://offhook@db/offhook', OFFHOOK_BUS: 'tls://token@bus:4222', OFFHOOK_METRICS_TOKEN: 'scrape' }
    await assertSettings(t, {
      ...data,
      ...secrets,
      OFFHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...Object.fromEntries(fixed),
    })
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe].map((probe) => probe?.httpGet?.path)
    assert.deepEqual(probes, ['/health', '/ready', '/health'])
    const wait = Number(container.lifecycle?.preStop?.exec?.command?.[1])
    assert.ok((pod.terminationGracePeriodSeconds ?? 0) >= wait + Number(data['OFFHOOK_DRAIN_SECONDS']) + 60)
    assert.ok(pod.hostNetwork && pod.affinity?.podAntiAffinity)
    assert.equal(pod.securityContext?.runAsUser, 10_001)
  })

  test('scales by an existing metric', async (t) => {
    if (!(await needs(t, 'kubectl', 'promtool'))) return
    const { spec } = find(await manifests(), 'HorizontalPodAutoscaler')
    const metric = spec?.metrics?.[0]?.pods?.metric.name ?? ''
    assert.ok((await readFile(join(ourRoot, 'docs/metrics.md'), 'utf8')).includes(`| \`${metric}\` | gauge |`))
    const values = await readFile(join(folder, 'monitoring/adapter-values.yaml'), 'utf8')
    const { custom } = (parse(values) as { rules: { custom: { seriesQuery: string; metricsQuery: string; name: { as: string } }[] } }).rules
    const [rule = assert.fail()] = custom
    assert.equal(rule.name.as, metric)
    const expr = rule.metricsQuery.replace('<<.Series>>', metric).replace('<<.LabelMatchers>>', 'pod="offhook-0"')
    const file = join(await temporaryFolder(t), 'rules.yml')
    const rules = [expr, rule.seriesQuery].map((query, index) => ({ record: `checked:${index}`, expr: query }))
    await writeFile(file, JSON.stringify({ groups: [{ name: 'adapter', rules }] }))
    await run('promtool', ['check', 'rules', file])
    assert.match((await run('kubectl', ['kustomize', join(folder, 'monitoring')])).stdout, /kind: PodMonitor/)
  })
})
