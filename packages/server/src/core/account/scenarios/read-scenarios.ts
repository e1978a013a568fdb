import type { StoredScenario } from '#core/kernel/ports/store/session.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Up to 64 kB each; together they take a few milliseconds to read. */
const scenariosPerSlice = 10

/** Scenarios of a flow by name, in slices; `breathe` yields to the event loop in between. */
export async function* readScenarios(
  { scenarios }: Pick<Tables, 'scenarios'>,
  { accountId, flowId }: { accountId: string; flowId: string },
  breathe: () => Promise<void>,
): AsyncGenerator<StoredScenario[]> {
  for (let after: string | undefined; ;) {
    const slice = await scenarios.list(accountId, flowId, { limit: scenariosPerSlice, ...(after !== undefined && { after }) })
    yield slice
    after = slice.at(-1)?.scenario.name
    if (slice.length < scenariosPerSlice) return
    await breathe()
  }
}
