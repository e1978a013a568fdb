import { Checkbox } from '@mantine/core'
import { useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { RunState } from '#lazy-parts/scenarios/report-view.tsx'
import type { TestRun } from '#lazy-parts/scenarios/use-test-run.ts'
import { lastStateOf, scenarioOf, type StoredTest } from './kept-test.ts'
import { NoTest } from './no-test.tsx'
import { text } from './text.ts'

export interface TestTableProps {
  flowId: string
  tests: readonly StoredTest[]
  runs: readonly TestRun[]
  /** Names of those that are to be run. */
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

/** What can be done with one test, as far as one may. */
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
