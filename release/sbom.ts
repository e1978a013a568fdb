import { builtIntoConsole } from './notices.ts'
import { neededBy, type Locked } from './locked.ts'

interface Component {
  'bom-ref': string
  type: 'application' | 'library'
  name: string
  version: string
  purl: string
  licenses: { expression: string }[]
  hashes?: { alg: 'SHA-512'; content: string }[]
}

/** Bill of materials in CycloneDX 1.5. */
export interface Sbom {
  $schema: string
  bomFormat: 'CycloneDX'
  specVersion: '1.5'
  version: 1
  metadata: { component: Component }
  components: Component[]
}

const component = (type: Component['type'], { name, version, licence, integrity }: Locked): Component => ({
  'bom-ref': `${name}@${version}`,
  type,
  name,
  version,
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  licenses: [{ expression: spdx(licence) }],
  ...(integrity?.startsWith('sha512-') && {
    hashes: [{ alg: 'SHA-512' as const, content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
  }),
})

/** Normalises a package's non-SPDX licence name. */
const spdx = (licence: string): string => (licence === 'MPL 2.0' ? 'MPL-2.0' : licence)

/** Components of the service: packages installed with it, and packages bundled into it and its console. */
export const sbom = (root: string, version: string): Sbom => {
  const parts = new Map([...neededBy(root, 'packages/server'), ...builtIntoConsole(root)].map((one) => [`${one.name}@${one.version}`, one]))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: component('application', { name: '@offhook/server', version, licence: 'MIT', integrity: undefined }) },
    components: [...parts.values()].map((one) => component('library', one)),
  }
}
