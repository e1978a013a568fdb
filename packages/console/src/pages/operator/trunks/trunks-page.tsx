import { Text, Anchor, Stack, Switch, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { text } from './text.ts'
import { type Trunk, valuesOf, inputOf } from './trunk-fields.tsx'
import { PlaceFields, LoginFields, LimitFields } from './trunk-fields.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { Link } from 'wouter'
import { useFormat } from '#parts/value/use-format.ts'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'

/** Trunks to other networks, and their state. */
export const TrunksPage = () => {
  const say = useText(text)
  const trunks = useRead('listTrunks', {}, { every: 5_000 })
  const [open, setOpen] = useState<Trunk | 'new'>()
  const columns = useColumns()
  const create = <AddButton onClick={() => setOpen('new')}>{say.create}</AddButton>
  return (
    <Page title={say.title} description={say.description} actions={create}>
      <Section flush>
        <List
          query={trunks}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          rowActions={(trunk) => <TrunkMenu trunk={trunk} onEdit={() => setOpen(trunk)} />}
          empty={
            <EmptyState icon="trunk" title={say.none} action={create}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
      <SmsRoutes />
      {open && <TrunkForm {...(open !== 'new' && { trunk: open })} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

const useColumns = (): Column<Trunk>[] => {
  const say = useText(text)
  const counted = useRead('readTrunkQuality', {}, { every: 30_000 }).data?.items
  const quality = (id: string) => counted?.find(({ trunkId }) => trunkId === id)
  return [
    {
      key: 'name',
      header: say.name,
      value: ({ name }) => name,
      cell: ({ name }) => (
        <Text span inherit fw={550}>
          {name}
        </Text>
      ),
    },
    { key: 'state', header: say.state, cell: (trunk) => <TrunkState trunk={trunk} /> },
    {
      key: 'since',
      header: say.since,
      value: ({ state }) => state?.since,
      cell: ({ state }) => (state ? <Time at={state.since} relative /> : '–'),
    },
    {
      key: 'calls',
      header: say.calls,
      value: ({ state }) => state?.calls ?? 0,
      align: 'right',
      cell: ({ state, maxCalls }) => `${state?.calls ?? 0}\u00a0/\u00a0${maxCalls}`,
    },
    {
      key: 'host',
      header: say.host,
      cell: ({ host, port, transport }) => `${host.includes(':') ? `[${host}]` : host}:${port} ${transport}`,
      breaks: true,
    },
    {
      key: 'quality',
      header: say.quality,
      value: ({ id }) => quality(id)?.answered,
      cell: ({ id }) => <TrunkQuality quality={quality(id)} />,
    },
    { key: 'priority', header: say.priority, align: 'right', cell: ({ priority }) => priority, wideOnly: true },
  ]
}

const TrunkMenu = ({ trunk, onEdit }: { trunk: Trunk; onEdit: () => void }) => {
  const say = useText(text)
  const shared = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const remove = useWrite('deleteTrunk', { refreshes: ['listTrunks'], onDone: () => toast.done(say.removed) })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.removeTitle(trunk.name), body: say.removeBody, confirm: shared.remove }))
      remove.mutate([{ trunkId: trunk.id }], { onError: toast.failed })
  }
  return (
    <RowMenu
      label={shared.actionsFor(trunk.name)}
      actions={[
        { label: shared.edit, icon: 'edit', onClick: onEdit },
        { label: shared.remove, icon: 'trash', onClick: () => void ask(), danger: true },
      ]}
    />
  )
}

export const TrunkState = ({ trunk }: { trunk: Trunk }) => (
  <>
    <TrunkBadge trunk={trunk} />
    {trunk.state?.problem !== undefined && (
      <Text size="xs" c="dimmed">
        {trunk.state.problem}
      </Text>
    )}
  </>
)

const TrunkBadge = ({ trunk: { active, register, state } }: { trunk: Trunk }) => {
  const { states } = useText(text)
  if (!active) return <StatusBadge tone="quiet">{states.off}</StatusBadge>
  if (!state) return <StatusBadge tone="quiet">{states.unknown}</StatusBadge>
  if (!state.usable) return <StatusBadge tone="bad">{register && !state.registered ? states.loggedOut : states.down}</StatusBadge>
  return <StatusBadge tone="good">{register ? states.registered : states.usable}</StatusBadge>
}

type Quality = OutputOf<'readTrunkQuality'>['items'][number]

/** Percent; higher loss is audible. */
const audibleLossPercent = 2

/** Quality of the last day, with a link to the calls. */
export const TrunkQuality = ({ quality }: { quality: Quality | undefined }) => {
  const say = useText(text)
  const { number } = useFormat()
  if (!quality) return '–'
  const { trunkId, incoming, outgoing, answered, failed, lossPercent, jitterMs } = quality
  const calls = incoming + outgoing
  return (
    <Stack gap={0}>
      <Anchor component={Link} href={`/operator/calls?trunk=${encodeURIComponent(trunkId)}`} size="sm">
        {say.answeredOf(number((100 * answered) / calls), number(calls))}
      </Anchor>
      {failed > 0 && (
        <Text size="xs" c="red">
          {say.failedCalls(failed)}
        </Text>
      )}
      {lossPercent !== undefined && (
        <Text size="xs" c={lossPercent > audibleLossPercent ? 'red' : 'dimmed'}>
          {say.heard(number(lossPercent, 1), number(jitterMs ?? 0))}
        </Text>
      )}
    </Stack>
  )
}

type Route = OutputOf<'listSmsRoutes'>['items'][number]

export const SmsRoutes = () => {
  const say = useText(text)
  const routes = useRead('listSmsRoutes', {}, { every: 10_000 })
  const columns: Column<Route>[] = [
    { key: 'name', header: say.route, cell: ({ name }) => name },
    {
      key: 'state',
      header: say.state,
      value: ({ usable }) => (usable ? say.states.usable : say.states.down),
      cell: ({ usable }) => <StatusBadge tone={usable ? 'good' : 'bad'}>{usable ? say.states.usable : say.states.down}</StatusBadge>,
    },
    { key: 'reason', header: say.reason, cell: ({ reason }) => (reason === '' ? '–' : reason) },
    { key: 'since', header: say.since, value: ({ since }) => since, cell: ({ since }) => <Time at={since} relative /> },
    {
      key: 'url',
      header: say.messagesUrl,
      cell: ({ messagesUrl }) => (messagesUrl === undefined ? '–' : <CopyField value={messagesUrl} secret />),
    },
  ]
  return (
    <Section title={say.sms} description={say.smsHint} flush>
      <List
        name="sms"
        query={routes}
        label={say.sms}
        columns={columns}
        rowKey={({ name }) => name}
        empty={
          <EmptyState icon="message" title={say.smsNone}>
            {say.smsNoneHint}
          </EmptyState>
        }
      />
    </Section>
  )
}

/** A new or an existing trunk. */
export const TrunkForm = ({ trunk, onClose }: { trunk?: Trunk; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(sharedText)
  const toast = useToast()
  const done = (words: string) => () => {
    toast.done(words)
    onClose()
  }
  const create = useWrite('createTrunk', { refreshes: ['listTrunks'], onDone: done(say.created) })
  const update = useWrite('updateTrunk', { refreshes: ['listTrunks'], onDone: done(saved) })
  const { error, isPending } = trunk ? update : create
  const form = useForm(valuesOf(trunk), error)
  const submit = (): void => {
    const input = inputOf(form.values)
    if (!trunk) return create.mutate([{}, input])
    return update.mutate([{ trunkId: trunk.id }, { ...input, ...(form.values.forgetPassword && { password: null }) }])
  }
  return (
    <FormModal
      opened
      title={trunk?.name ?? say.create}
      onClose={onClose}
      onSubmit={submit}
      {...(!trunk && { submit: say.create })}
      pending={isPending}
      error={error}
      size="lg"
    >
      <PlaceFields form={form} />
      <LoginFields form={form} {...(trunk && { trunk })} />
      <Textarea
        label={say.sourceAddresses}
        description={say.sourceHint}
        autosize
        minRows={2}
        {...form.text('sources')}
        error={fieldProblem(error, 'sourceAddresses')}
      />
      <Textarea
        label={say.mediaAddresses}
        description={say.mediaHint}
        autosize
        {...form.text('media')}
        error={fieldProblem(error, 'mediaAddresses')}
      />
      <LimitFields form={form} />
      <Switch label={say.active} {...form.tick('active')} />
    </FormModal>
  )
}
