import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { Actor } from '#parts/value/actor.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useTakeAsDraft } from './use-take-as-draft.ts'
import type { Pair, Rollout, Version } from './version.ts'

export interface VersionTableProps {
  flowId: string
  /** The newest first. */
  versions: readonly Version[]
  rollout: Rollout
  onCompare: (pair: Pair) => void
}

export const VersionTable = ({ flowId, versions, rollout, onCompare }: VersionTableProps) => {
  const say = useText(text)
  const { number } = useFormat()
  const may = useMay()('CAN_CHANGE_FLOWS')
  const columns: Column<Version>[] = [
    { key: 'version', header: say.version, cell: ({ version }) => say.number(version) },
    { key: 'state', header: say.state, cell: ({ version }) => <VersionState version={version} rollout={rollout} /> },
    { key: 'note', header: say.note, cell: ({ note = '–' }) => note, wraps: true },
    { key: 'by', header: say.by, value: ({ createdBy }) => createdBy, cell: ({ createdBy }) => <Actor name={createdBy} />, wraps: true },
    { key: 'when', header: say.when, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
    { key: 'calls', header: say.calls, cell: ({ calls }) => number(calls), align: 'right' },
  ]
  const before = (version: number): number => versions.find((other) => other.version < version)?.version ?? version
  const take = useTake(flowId)
  const takeAsDraft = useTakeAsDraft(flowId)
  const actionsOf = (version: number): MenuAction[] => [
    { label: say.compare, icon: 'layers', onClick: () => onCompare({ from: before(version), to: version }) },
    ...(may
      ? ([
          { label: say.take, icon: 'check', onClick: () => take(version), disabled: rollout.stable === version && !rollout.candidate },
          { label: say.edit, icon: 'edit', onClick: () => void takeAsDraft(version) },
        ] as const)
      : []),
  ]
  return (
    <List
      label={say.versions}
      rows={versions}
      columns={columns}
      rowKey={({ version }) => `${version}`}
      rowActions={({ version }) => <RowMenu label={say.actionsFor(version)} actions={actionsOf(version)} />}
      empty={null}
    />
  )
}

const VersionState = ({ version, rollout: { stable, candidate, percent = 0 } }: { version: number; rollout: Rollout }) => {
  const say = useText(text)
  if (version === stable) return <StatusBadge tone="good">{say.stable}</StatusBadge>
  if (version === candidate && percent > 0) return <StatusBadge tone="busy">{say.candidate(percent)}</StatusBadge>
  return '–'
}

const useTake = (flowId: string): ((version: number) => void) => {
  const say = useText(text)
  const toast = useToast()
  const change = useWrite('changeRollout', { refreshes: ['getRollout'] })
  return (stable) =>
    change.mutate([{ aiFlowId: flowId }, { stable }], {
      onSuccess: () => toast.done(say.taken(stable)),
      onError: (error) => toast.failed(error),
    })
}
