import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endpointAt, runScenario } from '@offhook/sdk'
import { readScenario } from '@offhook/sdk/scenarios/read-scenario.ts'

const folder = join(import.meta.dirname, '../../../examples/features')

export interface FeatureExample {
  name: string
  /** Each program with its number of lines. */
  programs: { file: 'assistant.ts' | 'assistant.py'; lines: number }[]
  /** Holds the scenario with a running program; returns the failures. */
  hold: (url: string) => Promise<unknown[]>
}

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** Settings of every example. */
export const exampleSettings = { API_KEY: 'key', WEBHOOK_SECRET: secret }

/** The examples that show one feature of the SDKs each, in TypeScript and Python. */
export const featureExamples = (): FeatureExample[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const read = (file: string): string => readFileSync(join(folder, name, file), 'utf8')
      const file = `${name}.scenario.yaml`
      return {
        name,
        programs: (['assistant.ts', 'assistant.py'] as const).map((program) => ({
          file: program,
          lines: read(program).split('\n').length,
        })),
        hold: async (url) => {
          const address = name === 'several-flows' ? new URL('/sales', url).href : url
          const { failures } = await runScenario(readScenario(read(file), file), endpointAt(address, { secret, apiKey: 'key' }), {
            quietMs: 1000,
          })
          return failures
        },
      }
    })
