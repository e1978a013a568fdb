import { useState, lazy, Suspense } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { Button, Group, Stack, Text, Checkbox } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { EndpointChoice, inputOf } from '#lazy-parts/scenarios/endpoint-choice.tsx'
import type { TestRun } from '#lazy-parts/scenarios/use-test-run.ts'
import classes from './tests.module.css'
import { text } from './text.ts'
import { type StoredTest, lastStateOf, scenarioOf } from './kept-test.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Time } from '#parts/value/values.tsx'
import { ReportView, RunState } from '#lazy-parts/scenarios/report-view.tsx'
import { text as scenarioText } from '#lazy-parts/scenarios/text.ts'
import { useLocation } from 'wouter'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { useFormat } from '#parts/value/use-format.ts'

/** Stored conversations that test a flow, and their results. */
export const TestsPage = () => <FlowFrame tab="tests">{({ id }) => <Tests key={id} flowId={id} />}</FlowFrame>

/** Milliseconds between polls while a test runs. */
const pollIntervalMs = 700

const Tests = ({ flowId }: { flowId: string }) => {
  const [opened, setOpened] = useState<string>()
  const runs = useRead(
    'listTestRuns',
    { aiFlowId: flowId },
    { every: pollIntervalMs, until: ({ items }) => items.every(({ state }) => state !== 'running') },
  )
  return (
    <>
      <KeptTests flowId={flowId} runs={runs.data?.items ?? []} onRun={setOpened} />
      <Runs runs={runs} opened={opened} onOpen={setOpened} />
    </>
  )
}

export interface TestTableProps {
  flowId: string
  tests: readonly StoredTest[]
  runs: readonly TestRun[]
  /** Names of the tests to run. */
  chosen: readonly string[]
  onChosen: (names: readonly string[]) => void
  onRun: (test: StoredTest) => void
  onEdit: (test: StoredTest) => void
}

export const TestTable = ({ flowId, tests, runs, chosen, onChosen, onRun, onEdit }: TestTableProps) => {
  const say = useText(text)
  const may = useMay()('CAN_CHANGE_FLOWS')
  const { number } = useFormat()
  const actionsOf = useTestActions(flowId, onRun, onEdit)
  const toggle = (name: string): void => onChosen(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  const columns: Column<StoredTest>[] = [
    { key: 'name', header: say.name, cell: ({ name }) => name, breaks: true },
    { key: 'result', header: say.result, cell: (test) => <LastState state={lastStateOf(test, runs)} /> },
    { key: 'required', header: say.required, cell: ({ required }) => (required ? say.isRequired : '–') },
    { key: 'steps', header: say.steps, cell: ({ steps }) => number(steps.length), align: 'right' },
    { key: 'changed', header: say.changed, value: ({ updatedAt }) => updatedAt, cell: ({ updatedAt }) => <Time at={updatedAt} relative /> },
    {
      key: 'chosen',
      header: say.chosen,
      cell: ({ name }) => <Checkbox aria-label={say.choose(name)} checked={chosen.includes(name)} onChange={() => toggle(name)} />,
    },
  ]
  return (
    <List
      label={say.tests}
      rows={tests}
      columns={may ? columns : columns.slice(0, -1)}
      rowKey={({ name }) => name}
      {...(may && { onOpen: onEdit })}
      rowActions={(test) => <RowMenu label={say.actionsFor(test.name)} actions={actionsOf(test)} />}
      empty={<NoTest />}
    />
  )
}

const LastState = ({ state }: { state: ReturnType<typeof lastStateOf> }) => {
  const { never } = useText(text)
  return state === undefined ? never : <RunState state={state} />
}

/** Permitted actions on one test. */
const useTestActions = (
  flowId: string,
  onRun: TestTableProps['onRun'],
  onEdit: TestTableProps['onEdit'],
): ((test: StoredTest) => MenuAction[]) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const [, go] = useLocation()
  const may = useMay()('CAN_CHANGE_FLOWS')
  const change = useWrite('setScenario', { refreshes: ['listScenarios'] })
  const remove = useWrite('deleteScenario', { refreshes: ['listScenarios'], onDone: () => toast.done(say.removed) })
  const require = (test: StoredTest): void =>
    change.mutate(
      [
        { aiFlowId: flowId, name: test.name },
        { ...scenarioOf(test), required: !test.required },
      ],
      { onError: toast.failed },
    )
  const ask = async ({ name }: StoredTest): Promise<void> => {
    const sure = await confirm({ title: say.removeTitle(name), body: say.removeBody, confirm: say.remove, danger: true })
    if (sure) remove.mutate([{ aiFlowId: flowId, name }], { onError: toast.failed })
  }
  return (test) => {
    const { call } = test
    const toCall: MenuAction[] = call === undefined ? [] : [{ label: say.toCall, icon: 'phone', onClick: () => go(`/calls/${call}`) }]
    if (!may) return toCall
    return [
      { label: say.run, icon: 'play', onClick: () => onRun(test) },
      { label: say.edit, icon: 'edit', onClick: () => onEdit(test) },
      { label: test.required ? say.unrequire : say.require, icon: 'shield', onClick: () => require(test) },
      ...toCall,
      { label: say.remove, icon: 'trash', danger: true, onClick: () => void ask(test) },
    ]
  }
}

const TestEditor = lazy(() => import('./test-editor.tsx').then((part) => ({ default: part.TestEditor })))

export interface KeptTestsProps {
  flowId: string
  /** Newest first. */
  runs: readonly TestRun[]
  /** Called with the id of a started run. */
  onRun: (runId: string) => void
}

/** The stored tests, and how to run them. */
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

export interface RunsProps {
  runs: UseQueryResult<{ items: TestRun[] }>
  /** The run whose reports are shown; default: the newest. */
  opened: string | undefined
  onOpen: (runId: string) => void
}

/** Results of the latest runs, newest first. */
export const Runs = ({ runs, opened, onOpen }: RunsProps) => {
  const say = useText(text)
  return (
    <Section title={say.runs} description={say.runsAbout}>
      <Loaded query={runs}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="history" title={say.noRunTitle}>
              {say.noRun}
            </EmptyState>
          ) : (
            <Stack gap="md">
              {items.map((run, index) => (
                <Run key={run.runId} run={run} isNewest={index === 0} isOpen={run.runId === (opened ?? items[0]?.runId)} onOpen={onOpen} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  )
}

interface RunProps extends Pick<RunsProps, 'onOpen'> {
  run: TestRun
  /** Screen readers announce its progress. */
  isNewest: boolean
  isOpen: boolean
}

const Run = ({ run, isNewest, isOpen, onOpen }: RunProps) => {
  const say = useText(text)
  const { runId, state, startedAt, reports, total } = run
  const passed = reports.filter((report) => report.state === 'passed').length
  return (
    <details className={classes.run} open={isOpen} onToggle={({ currentTarget }) => currentTarget.open && !isOpen && onOpen(runId)}>
      <summary className={classes.summary}>
        <RunState state={state} />
        <span role={isNewest ? 'status' : undefined}>
          {state === 'running' ? say.over(reports.length, total) : say.passed(passed, total)}
        </span>
        <Text span size="sm" c="dimmed">
          <Whom run={run} /> · <Time at={startedAt} relative />
        </Text>
      </summary>
      <ul className={classes.reports} aria-label={say.reports}>
        {reports.map((report, index) => (
          <li key={`${report.name} ${index}`}>
            <details open={report.state !== 'passed'}>
              <summary>
                <Group gap="xs" component="span" display="inline-flex" wrap="nowrap">
                  <RunState state={report.state} />
                  <span className={classes.name}>{report.name}</span>
                </Group>
              </summary>
              <div className={classes.report}>
                <ReportView report={report} />
              </div>
            </details>
          </li>
        ))}
      </ul>
    </details>
  )
}

const Whom = ({ run: { draft, version } }: { run: TestRun }) => {
  const say = useText(scenarioText)
  return draft ? say.draft : version === undefined ? say.live : say.version(version)
}

export const NoTest = () => {
  const say = useText(text)
  return (
    <EmptyState icon="check" title={say.emptyTitle}>
      {say.empty}
    </EmptyState>
  )
}
