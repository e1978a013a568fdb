import { Button, Group, Stack } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { EndpointChoice, inputOf } from '#lazy-parts/scenarios/endpoint-choice.tsx'
import type { TestRun } from '#lazy-parts/scenarios/use-test-run.ts'
import classes from './tests.module.css'
import { TestTable } from './test-table.tsx'
import { text } from './text.ts'
import type { StoredTest } from './kept-test.ts'

const TestEditor = lazy(() => import('./test-editor.tsx').then((part) => ({ default: part.TestEditor })))

export interface KeptTestsProps {
  flowId: string
  /** The newest first. */
  runs: readonly TestRun[]
  /** One has begun, with this id. */
  onRun: (runId: string) => void
}

/** What is tested, and the ways to run it. */
export const KeptTests = ({ flowId, runs, onRun }: KeptTestsProps) => {
  const say = useText(text)
  const may = useMay()('CAN_CHANGE_FLOWS')
  const tests = useRead('listScenarios', { aiFlowId: flowId })
  const [edited, setEdited] = useState<StoredTest | 'new'>()
  const [choice, setChoice] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const start = useWrite('startTestRun', { refreshes: ['listTestRuns'], onDone: ({ runId }) => onRun(runId) })
  const run = (names: readonly string[]): void =>
    start.mutate([{ aiFlowId: flowId }, { ...inputOf(choice), ...(names.length > 0 && { names: [...names] }) }])
  const add = may && <AddButton onClick={() => setEdited('new')}>{say.add}</AddButton>
  return (
    <Section title={say.tests} description={say.about} actions={add} flush>
      <Loaded query={tests}>
        {({ items }) => (
          <>
            {may && items.length > 0 && (
              <Stack className={classes.bar} gap="xs">
                <Group align="end">
                  <EndpointChoice flowId={flowId} value={choice} onChange={setChoice} />
                  <Button loading={start.isPending} leftSection={<Icon name="play" size={16} />} onClick={() => run(chosen)}>
                    {chosen.length === 0 ? say.runAll : say.runChosen(chosen.length)}
                  </Button>
                </Group>
                <ErrorNotice error={start.error} />
              </Stack>
            )}
            <TestTable
              flowId={flowId}
              tests={items}
              runs={runs}
              chosen={chosen}
              onChosen={setChosen}
              onRun={({ name }) => run([name])}
              onEdit={setEdited}
            />
            <Suspense>
              {edited && (
                <TestEditor
                  flowId={flowId}
                  test={edited === 'new' ? undefined : edited}
                  others={items}
                  onClose={() => setEdited(undefined)}
                />
              )}
            </Suspense>
          </>
        )}
      </Loaded>
    </Section>
  )
}
