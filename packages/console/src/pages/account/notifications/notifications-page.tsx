import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf, type InputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { text as accountText } from '../parts/text.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { usePlaceName, usePlaces } from './use-places.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { Select, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import type { Choice as Place } from '../parts/target-picker.tsx'

import { text } from './text.ts'

type Notification = OutputOf<'listNotifications'>['items'][number]

export const NotificationsPage = () => {
  const say = useText(text)
  const may = useMay()
  const whose = useWhose()
  const [adding, setAdding] = useState(false)
  const { userId } = whose
  const mayChange = may('CAN_CHANGE_NOTIFICATIONS')
  const actions = (
    <>
      <UserPicker whose={whose} />
      {mayChange && <AddButton onClick={() => setAdding(true)}>{say.add}</AddButton>}
    </>
  )
  return (
    <Page title={say.title} description={say.lead} actions={actions}>
      {userId !== undefined && (
        <Section flush>
          <Notifications userId={userId} mayChange={mayChange} />
        </Section>
      )}
      {adding && userId !== undefined && <NotificationForm userId={userId} onClose={() => setAdding(false)} />}
    </Page>
  )
}

const Notifications = ({ userId, mayChange }: { userId: string; mayChange: boolean }) => {
  const say = useText(text)
  const notifications = useRead('listNotifications', { userId })
  const columns = useColumns(userId)
  const actionsOf = useRowActions(userId)
  return (
    <List
      query={notifications}
      label={say.title}
      columns={columns}
      rowKey={({ id }) => id}
      {...(mayChange && { rowActions: actionsOf })}
      empty={
        <EmptyState icon="bell" title={say.empty}>
          {say.emptyHint}
        </EmptyState>
      }
    />
  )
}

const useColumns = (userId: string): Column<Notification>[] => {
  const say = useText(text)
  const nameOf = usePlaceName(userId)
  return [
    { key: 'type', header: say.about, cell: ({ type, direction }) => say.told[type](say.directions[direction]) },
    { key: 'endpoint', header: say.endpoint, cell: ({ endpointId }) => nameOf(endpointId) },
    { key: 'via', header: say.via, cell: ({ via }) => say.ways[via] },
    {
      key: 'recipient',
      header: say.recipient,
      value: ({ recipient }) => recipient,
      cell: ({ via, recipient }) => (via === 'SMS' ? <PhoneNumber number={recipient} /> : recipient),
    },
  ]
}

const useRowActions = (userId: string) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deleteNotification', { refreshes: ['listNotifications'], onDone: () => toast.done(account.deleted) })
  const ask = async ({ id: notificationId, recipient }: Notification): Promise<void> => {
    if (await confirm({ title: say.deleteTitle, body: say.deleteBody(recipient), confirm: say.deleteConfirm }))
      remove.mutate([{ userId, notificationId }], { onError: (error) => toast.failed(error) })
  }
  return (notification: Notification) => (
    <RowMenu
      label={account.actionsFor(`${say.types[notification.type]}, ${notification.recipient}`)}
      actions={[{ label: account.remove, icon: 'trash', danger: true, onClick: () => void ask(notification) }]}
    />
  )
}

export const NotificationForm = ({ userId, onClose }: { userId: string; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const create = useWrite('createNotification', {
    refreshes: ['listNotifications'],
    onDone: () => {
      toast.done(saved)
      onClose()
    },
  })
  const form = useForm<Input>({ type: 'VOICEMAIL', via: 'EMAIL', direction: 'INCOMING', endpointId: '', recipient: '' }, create.error)
  const { type, endpointId } = form.values
  const places = usePlaces(userId)?.[type]
  const chosen = places?.find(({ id }) => id === endpointId) ?? places?.[0]
  return (
    <FormModal
      opened
      title={say.addTitle}
      onClose={onClose}
      onSubmit={() => create.mutate([{ userId }, { ...form.values, endpointId: chosen?.id ?? '' }])}
      disabled={chosen === undefined}
      pending={create.isPending}
      error={create.error}
    >
      <EventFields form={form} places={places} chosen={chosen} />
      <RecipientFields form={form} />
    </FormModal>
  )
}

export type Input = InputOf<'createNotification'>[1]

/** Directions per notification: both for messages, incoming for missed calls and voicemails. */
const directionsOf: Record<Input['type'], readonly [Input['direction'], ...Input['direction'][]]> = {
  VOICEMAIL: ['INCOMING'],
  CALL: ['MISSED_INCOMING'],
  FAX: ['INCOMING', 'OUTGOING', 'ALL'],
  SMS: ['INCOMING', 'OUTGOING', 'ALL'],
}

const optionsOf = <Name extends string>(names: readonly Name[], words: Record<Name, string>) =>
  names.map((name) => ({ value: name, label: words[name] }))

interface EventFieldsProps {
  form: Form<Input>
  places: readonly Place[] | undefined
  chosen: Place | undefined
}

/** Event and place of a notification. */
export const EventFields = ({ form, places, chosen }: EventFieldsProps) => {
  const say = useText(text)
  const { type, direction } = form.values
  const chooseType = (wanted: Input['type']): void => {
    form.set('type', wanted)
    form.set('direction', directionsOf[wanted][0])
  }
  const types = optionsOf<Input['type']>(['VOICEMAIL', 'CALL', 'FAX', 'SMS'], say.types)
  return (
    <>
      <Choice label={say.about} options={types} value={type} onChange={chooseType} />
      {places?.length === 0 ? (
        <Text c="dimmed">{say.nothingThere}</Text>
      ) : (
        <Select
          label={say.endpoint}
          data={(places ?? []).map(({ id, alias }) => ({ value: id, label: alias }))}
          allowDeselect={false}
          disabled={!places}
          {...form.value('endpointId')}
          value={chosen?.id ?? null}
        />
      )}
      {directionsOf[type].length > 1 && (
        <Choice
          label={say.direction}
          options={optionsOf(directionsOf[type], say.directions)}
          value={direction}
          onChange={(wanted) => form.set('direction', wanted)}
        />
      )}
    </>
  )
}

/** Channel and recipient of a notification. */
export const RecipientFields = ({ form }: { form: Form<Input> }) => {
  const say = useText(text)
  const { via } = form.values
  const byMail = via === 'EMAIL'
  const ways = optionsOf<Input['via']>(['EMAIL', 'SMS'], say.ways)
  return (
    <>
      <Choice label={say.via} options={ways} value={via} onChange={(wanted) => form.set('via', wanted)} />
      <TextInput
        label={byMail ? say.mail : say.number}
        type={byMail ? 'email' : 'tel'}
        required
        maxLength={254}
        {...form.text('recipient')}
      />
    </>
  )
}

interface ChoiceProps<Name extends string> {
  label: string
  options: { value: Name; label: string }[]
  value: Name
  onChange: (value: Name) => void
}

/** A few options, all visible. */
const Choice = <Name extends string>({ label, options, value, onChange }: ChoiceProps<Name>) => (
  <Stack gap={4}>
    <Text size="sm" fw={550}>
      {label}
    </Text>
    <SegmentedControl aria-label={label} data={options} value={value} onChange={onChange} fullWidth />
  </Stack>
)
