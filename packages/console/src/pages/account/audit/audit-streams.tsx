import { Select, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type InputOf, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Section } from '#parts/page/section.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'

type Stream = OutputOf<'listAuditStreams'>['items'][number]
type NewStream = InputOf<'createAuditStream'>[1]
type Kind = NewStream['kind']

const kinds: readonly Kind[] = ['WEBHOOK', 'SYSLOG', 'OTLP']

const refreshes = ['listAuditStreams'] as const

/** Receivers of the audit log outside. */
export const AuditStreams = () => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const streams = useRead('listAuditStreams')
  const columns = useColumns()
  const [adding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string>()
  const remove = useWrite('deleteAuditStream', { refreshes, onDone: () => toast.done(account.deleted) })
  const askRemove = async ({ id: streamId, url }: Stream): Promise<void> => {
    if (await confirm({ title: say.removeStream, body: say.removeStreamBody(url), confirm: account.remove }))
      remove.mutate([{ streamId }], { onError: (error) => toast.failed(error) })
  }
  const add = (
    <AddButton size="xs" variant="default" onClick={() => setAdding(true)}>
      {say.addStream}
    </AddButton>
  )
  return (
    <Section title={say.streams} description={say.streamsHint} actions={add} flush>
      <List
        name="streams"
        query={streams}
        label={say.streams}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={(stream) => (
          <RowMenu
            label={account.actionsFor(stream.url)}
            actions={[{ label: account.remove, icon: 'trash', danger: true, onClick: () => void askRemove(stream) }]}
          />
        )}
        empty={<EmptyState icon="send" title={say.noStreams} />}
      />
      {adding && <StreamForm onClose={() => setAdding(false)} onSecret={setSecret} />}
      <SecretModal
        title={say.streamMade}
        secrets={secret === undefined ? undefined : [{ label: say.streamSecret, value: secret }]}
        onClose={() => setSecret(undefined)}
      />
    </Section>
  )
}

const useColumns = (): Column<Stream>[] => {
  const say = useText(text)
  return [
    { key: 'kind', header: say.streamKind, cell: ({ kind }) => say.streamKinds[kind] },
    { key: 'url', header: say.streamAddress, cell: ({ url }) => url },
    {
      key: 'state',
      header: say.streamState,
      cell: ({ failure, waiting }) =>
        failure ? (
          <StatusBadge tone="bad">{say.streamFails(failure.message)}</StatusBadge>
        ) : (
          <StatusBadge tone={waiting === 0 ? 'good' : 'busy'}>{waiting === 0 ? say.delivered : say.waiting(waiting)}</StatusBadge>
        ),
    },
  ]
}

interface StreamFormProps {
  onClose: () => void
  onSecret: (secret: string) => void
}

const StreamForm = ({ onClose, onSecret }: StreamFormProps) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const create = useWrite('createAuditStream', {
    refreshes,
    onDone: ({ secret }) => {
      onClose()
      if (secret === null) toast.done(saved)
      else onSecret(secret)
    },
  })
  const form = useForm<Pick<NewStream, 'kind' | 'url'> & { start: 'NOW' | 'BEGINNING'; headers: string }>(
    { kind: 'WEBHOOK', url: '', start: 'NOW', headers: '' },
    create.error,
  )
  const { kind, headers, ...rest } = form.values
  const submit = (): void => {
    const wanted = kind === 'OTLP' && headers.trim() !== '' && { headers: headersIn(headers) }
    create.mutate([{}, { kind, ...rest, ...wanted }])
  }
  return (
    <FormModal opened title={say.addStream} onClose={onClose} onSubmit={submit} pending={create.isPending} error={create.error}>
      <Select
        label={say.streamKind}
        data={kinds.map((value) => ({ value: value as string, label: say.streamKinds[value] }))}
        value={kind}
        onChange={(chosen) => chosen !== null && form.set('kind', chosen as Kind)}
        allowDeselect={false}
      />
      <TextInput label={say.streamAddress} description={say.streamExamples[kind]} required data-autofocus {...form.text('url')} />
      {kind === 'OTLP' && (
        <Textarea
          label={say.streamHeaders}
          description={say.streamHeadersHint}
          autosize
          minRows={2}
          {...form.text('headers')}
          error={fieldProblem(create.error, 'headers')}
        />
      )}
      <Select
        label={say.streamStart}
        data={[
          { value: 'NOW', label: say.fromNow },
          { value: 'BEGINNING', label: say.fromBeginning },
        ]}
        allowDeselect={false}
        {...form.value('start')}
      />
    </FormModal>
  )
}

/** One header in each line: `Name: value`. */
const headersIn = (written: string): Record<string, string> =>
  Object.fromEntries(
    written
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [name = '', ...value] = line.split(':')
        return [name.trim(), value.join(':').trim()]
      }),
  )
