import { Button, Group, NativeSelect, NumberInput, Stack } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { Comparison } from './comparison.tsx'
import type { Pair, Rollout, Version } from './comparison.tsx'
import { text } from './text.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Fields } from '../settings/fields.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { Actor } from '#parts/value/actor.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { api } from '#api/client.ts'
import { draftOf, inPlaceOf } from '../assistant/draft.ts'

/** Published versions, their shares of calls, and their differences. */
export const VersionsPage = () => <FlowFrame tab="versions">{({ id }) => <Versions key={id} flowId={id} />}</FlowFrame>

const Versions = ({ flowId }: { flowId: string }) => {
  const versions = useRead('listAssistantVersions', { aiFlowId: flowId })
  const rollout = useRead('getRollout', { aiFlowId: flowId })
  return (
    <Loaded query={versions}>
      {({ items }) =>
        items.length === 0 ? (
          <NoVersion flowId={flowId} />
        ) : (
          <Loaded query={rollout}>{(now) => <Published flowId={flowId} versions={items} rollout={now} />}</Loaded>
        )
      }
    </Loaded>
  )
}

type PublishedProps = Pick<Parameters<typeof VersionTable>[0], 'flowId' | 'versions' | 'rollout'>

const Published = ({ flowId, versions, rollout }: PublishedProps) => {
  const say = useText(text)
  const may = useMay()('CAN_CHANGE_FLOWS')
  const newest = versions[0]?.version ?? 1
  const [pair, setPair] = useState<Pair>({ from: versions[1]?.version ?? newest, to: newest })
  return (
    <>
      <Section
        title={say.versions}
        description={say.about}
        flush
        actions={may && rollout.previous !== undefined && <RollBack flowId={flowId} to={rollout.previous} />}
      >
        <VersionTable flowId={flowId} versions={versions} rollout={rollout} onCompare={setPair} />
      </Section>
      {may && <Split key={JSON.stringify(rollout)} flowId={flowId} versions={versions} rollout={rollout} />}
      <Comparison flowId={flowId} versions={versions} pair={pair} onPair={setPair} />
    </>
  )
}

const NoVersion = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  return (
    <Section>
      <EmptyState
        icon="layers"
        title={say.emptyTitle}
        action={
          <Button component={Link} href={`/flows/${flowId}/assistant`}>
            {say.toDraft}
          </Button>
        }
      >
        {say.empty}
      </EmptyState>
    </Section>
  )
}

/** Restores the previous version after a confirmation. */
export const RollBack = ({ flowId, to }: { flowId: string; to: number }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const back = useWrite('rollBackAssistant', { refreshes: ['getRollout'], onDone: ({ stable }) => toast.done(say.rolledBack(stable)) })
  const ask = async (): Promise<void> => {
    if (!(await confirm({ title: say.rollBackTitle(to), body: say.rollBackBody, confirm: say.rollBack(to), danger: false }))) return
    back.mutate([{ aiFlowId: flowId }], { onError: (error) => toast.failed(error) })
  }
  return (
    <Button variant="default" leftSection={<Icon name="history" size={16} />} loading={back.isPending} onClick={() => void ask()}>
      {say.rollBack(to)}
    </Button>
  )
}

interface Values {
  stable: string
  candidate: string
  percent: number | ''
  by: 'caller' | 'call'
}

type SplitProps = { flowId: string; versions: readonly Version[]; rollout: Rollout }

/** One version for all calls, or another one for a share of them. */
export const Split = ({ flowId, versions, rollout }: SplitProps) => {
  const say = useText(text)
  const toast = useToast()
  const change = useWrite('changeRollout', { refreshes: ['getRollout'], onDone: () => toast.done(say.splitSaved) })
  const { stable = versions[0]?.version ?? 1, candidate, percent, by = 'caller' } = rollout
  const form = useForm<Values>({ stable: `${stable}`, candidate: `${candidate ?? ''}`, percent: percent ?? 10, by }, change.error)
  const { values } = form
  const choices = versions.map(({ version }) => ({ value: `${version}`, label: say.number(version) }))
  const save = (): void => {
    const trial = values.candidate === '' ? {} : { candidate: Number(values.candidate), percent: values.percent || 0, by: values.by }
    change.mutate([{ aiFlowId: flowId }, { stable: Number(values.stable), ...trial }])
  }
  return (
    <Section title={say.split} description={say.splitHint}>
      <Stack>
        <Fields>
          <NativeSelect label={say.splitStable} data={choices} {...form.text('stable')} />
          <NativeSelect label={say.splitCandidate} data={[{ value: '', label: say.nobody }, ...choices]} {...form.text('candidate')} />
          {values.candidate !== '' && (
            <>
              <NumberInput label={say.percent} min={0} max={100} {...form.value('percent')} />
              <NativeSelect
                label={say.splitBy}
                data={(['caller', 'call'] as const).map((value) => ({ value, label: say.splitBys[value] }))}
                {...form.text('by')}
              />
            </>
          )}
        </Fields>
        <ErrorNotice error={change.error} />
        <Group>
          <Button loading={change.isPending} disabled={!form.changed} onClick={save}>
            {say.saveSplit}
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}

export interface VersionTableProps {
  flowId: string
  /** Newest first. */
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

/** Copies a version into the draft after a confirmation, and opens it. */
export const useTakeAsDraft = (flowId: string): ((version: number) => Promise<void>) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const [, go] = useLocation()
  const write = useWrite('changeAssistant', { refreshes: ['getAssistant'] })
  return async (version) => {
    if (!(await confirm({ title: say.editTitle(version), body: say.editBody, confirm: say.edit }))) return
    try {
      const [taken, present] = await Promise.all([
        api.getAssistantVersion({ aiFlowId: flowId, version: `${version}` }),
        api.getAssistant({ aiFlowId: flowId }),
      ])
      const draft = draftOf(taken.settings)
      const settings = inPlaceOf(draft, draftOf(present.settings))
      await write.mutateAsync([{ aiFlowId: flowId }, { settings }])
      toast.done(JSON.stringify(settings) === JSON.stringify(draft) ? say.edited : say.editedWithoutKeys)
      go(`/flows/${flowId}/assistant`)
    } catch (error) {
      toast.failed(error)
    }
  }
}
