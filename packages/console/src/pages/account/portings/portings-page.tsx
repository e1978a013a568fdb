import { useState, type ReactNode } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { PortingState, type Porting } from './porting-form.tsx'
import { PortingForm } from './porting-form.tsx'
import { text } from './text.ts'
import { Stack, Text, Button, Group } from '@mantine/core'
import { Track } from '../parts/track.tsx'
import { isPortingStatus, placeOnTrack, type PortingStatus } from './porting-track.ts'
import { refusals, wordsOfRefusal } from './refusals.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { api } from '#api/client.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { saveFile } from '#parts/list/list-bar.tsx'
import { FileDrop } from '#lazy-parts/file-drop.tsx'
import { toBase64 } from '../voicemail/telephone-sound.ts'

import { documentsText } from './documents-text.ts'

export const PortingsPage = () => {
  const say = useText(text)
  const may = useMay()
  const portings = useRead('listPortings', {}, { every: 10_000 })
  const [open, setOpen] = useState<Porting | 'new'>()
  const start = may('CAN_CREATE_PORTINGS') && <AddButton onClick={() => setOpen('new')}>{say.start}</AddButton>
  return (
    <Page title={say.title} description={say.lead} actions={start}>
      <Loaded query={portings}>{({ items }) => <Portings items={items} onCorrect={setOpen} />}</Loaded>
      {open !== undefined && <PortingForm porting={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

const Portings = ({ items, onCorrect }: { items: readonly Porting[]; onCorrect: (porting: Porting) => void }) => {
  const say = useText(text)
  const finished = items.filter(({ pending }) => !pending)
  if (items.length === 0)
    return (
      <Section flush>
        <EmptyState icon="switch" title={say.empty}>
          {say.emptyBody}
        </EmptyState>
      </Section>
    )
  return (
    <>
      {items
        .filter(({ pending }) => pending)
        .map((porting) => (
          <PortingCard key={porting.id} porting={porting} onCorrect={() => onCorrect(porting)} />
        ))}
      {finished.length > 0 && <Finished portings={finished} />}
    </>
  )
}

const Finished = ({ portings }: { portings: readonly Porting[] }) => {
  const say = useText(text)
  const { date } = useFormat()
  const columns: Column<Porting>[] = [
    { key: 'numbers', header: say.numbers, cell: ({ numbers }) => <PhoneNumbers numbers={numbers.map(({ number }) => number)} none="–" /> },
    { key: 'state', header: say.state, cell: (porting) => <PortingState porting={porting} /> },
    { key: 'date', header: say.date, cell: ({ portDate }) => (portDate === '' ? '–' : date(portDate)) },
  ]
  return (
    <Section title={say.finished} flush>
      <List label={say.finished} rows={portings} columns={columns} rowKey={({ id }) => String(id)} empty={null} />
    </Section>
  )
}

const maxInTitle = 3

const dayMs = 24 * 60 * 60 * 1000

/** A porting in progress: its state, the next step and the deadline. */
export const PortingCard = ({ porting, onCorrect }: { porting: Porting; onCorrect: () => void }) => {
  const say = useText(text)
  const { phone } = useFormat()
  const { numbers, status } = porting
  const spaced = numbers.map(({ number }) => phone(number))
  const title = spaced.length > maxInTitle ? say.andMore(spaced[0] ?? '', spaced.length - 1) : spaced.join(', ')
  if (!isPortingStatus(status)) return null
  return (
    <Section
      title={title}
      description={<PortingState porting={porting} />}
      actions={<PortingActions porting={porting} status={status} onCorrect={onCorrect} />}
    >
      <Stack gap="lg">
        {spaced.length > maxInTitle && (
          <Told title={say.numbers}>
            <PhoneNumbers numbers={numbers.map(({ number }) => number)} none="" />
          </Told>
        )}
        <Way porting={porting} status={status} label={say.way(title)} />
        <Next porting={porting} status={status} />
        <PortingDocuments portingId={String(porting.id)} />
      </Stack>
    </Section>
  )
}

const Way = ({ porting: { portDate }, status, label }: { porting: Porting; status: PortingStatus; label: string }) => {
  const say = useText(text)
  const { date } = useFormat()
  const dateNote = portDate === '' ? undefined : date(portDate)
  const steps = placeOnTrack(status).map(({ name, state }) => ({
    key: name,
    label: say.steps[name],
    state,
    note: name === 'complete' ? dateNote : undefined,
  }))
  return <Track label={label} steps={steps} />
}

/** States in which the last rejection matters; later it is history. */
const refusable: readonly PortingStatus[] = [252, 400, 451]

const Next = ({ porting, status }: { porting: Porting; status: PortingStatus }) => {
  const say = useText(text)
  const refused = useText(refusals)
  const { reason } = porting
  return (
    <Stack gap="sm">
      {reason !== undefined && refusable.includes(status) && (
        <Told title={say.carrierSaid}>{wordsOfRefusal(reason, refused).join(' ')}</Told>
      )}
      <Told title={say.whatNext}>{useNext(porting, status)}</Told>
    </Stack>
  )
}

const Told = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <Text size="sm" fw={600} component="h3">
      {title}
    </Text>
    <Text size="sm" mt={2} maw="44rem">
      {children}
    </Text>
  </div>
)

const useNext = ({ portDate, consentExpires, cancelRequested, correctionRequested }: Porting, status: PortingStatus): string => {
  const say = useText(text)
  const { date, moment } = useFormat()
  if (cancelRequested) return say.cancelNext
  if (correctionRequested) return say.correctionNext
  return say.next[status]({
    date: portDate === '' ? say.noDate : date(portDate),
    eve: portDate === '' ? say.noDate : date(new Date(Date.parse(portDate) - dayMs).toISOString()),
    linkUntil: consentExpires === undefined ? undefined : moment(consentExpires),
  })
}

/** Once the current carrier knows of it, it must agree to a revocation. */
const binding: readonly PortingStatus[] = [250, 400]

export const PortingActions = ({ porting, status, onCorrect }: { porting: Porting; status: PortingStatus; onCorrect: () => void }) => {
  const say = useText(text)
  const may = useMay()
  const toast = useToast()
  const confirm = useConfirm()
  const asked = binding.includes(status)
  const revoke = useWrite('revokePorting', {
    refreshes: ['listPortings', 'listNumbers'],
    onDone: () => toast.done(asked ? say.revokeAsked : say.revoked),
  })
  const ask = async (): Promise<void> => {
    const body = asked ? `${say.revokeBody} ${say.revokeBinding}` : say.revokeBody
    if (await confirm({ title: say.revokeTitle, body, confirm: say.revokeConfirm }))
      revoke.mutate([{ portingId: String(porting.id) }], { onError: toast.failed })
  }
  return (
    <Group gap="xs">
      {porting.correctable && may('CAN_CREATE_PORTINGS') && (
        <Button size="sm" variant={status === 252 ? 'filled' : 'default'} onClick={onCorrect}>
          {status === 252 ? say.correct : say.change}
        </Button>
      )}
      {porting.revocable && !porting.cancelRequested && may('CAN_REVOKE_PORTINGS') && (
        <Button size="sm" variant="default" loading={revoke.isPending} onClick={() => void ask()}>
          {say.revoke}
        </Button>
      )}
    </Group>
  )
}

const maxBytes = 5 * 1024 * 1024
const max = 5

/** Documents for the current provider: PDFs submitted with the porting. */
export const PortingDocuments = ({ portingId }: { portingId: string }) => {
  const say = useText(documentsText)
  const { bytes } = useFormat()
  const may = useMay()
  const documents = useRead('listPortingDocuments', { portingId }).data?.items ?? []
  const { hand, problem, error } = useHandIn(portingId)
  const toast = useToast()
  const remove = useWrite('deletePortingDocument', { refreshes: ['listPortingDocuments'], onDone: () => toast.done(say.removed) })
  const save = async (documentId: string, name: string): Promise<void> =>
    saveFile(name, new Blob([new Uint8Array(await api.getPortingDocument({ portingId, documentId }))], { type: 'application/pdf' }))
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} component="h3">
        {say.title}
      </Text>
      {documents.map(({ id, name, bytes: size }) => (
        <Group key={id} gap="xs" wrap="nowrap">
          <Button variant="subtle" size="compact-sm" onClick={() => void save(id, name).catch(toast.failed)}>
            {say.named(name, bytes(size))}
          </Button>
          {may('CAN_CREATE_PORTINGS') && (
            <Button
              variant="subtle"
              color="red"
              size="compact-sm"
              aria-label={say.removeOf(name)}
              onClick={() => remove.mutate([{ portingId, documentId: id }], { onError: toast.failed })}
            >
              {say.remove}
            </Button>
          )}
        </Group>
      ))}
      {may('CAN_CREATE_PORTINGS') && documents.length < max && (
        <FileDrop accept="application/pdf,.pdf" icon="upload" words={say.drop} hint={say.hint} problem={problem} onFiles={hand} />
      )}
      {error && <ErrorNotice error={error} />}
    </Stack>
  )
}

/** Checks locally what the service would reject. */
const useHandIn = (portingId: string) => {
  const say = useText(documentsText)
  const toast = useToast()
  const [problem, setProblem] = useState<string>()
  const add = useWrite('addPortingDocument', { refreshes: ['listPortingDocuments'], onDone: () => toast.done(say.handedIn) })
  const hand = ([file]: File[]): void => {
    if (!file) return
    const wrong = !/\.pdf$/i.test(file.name) ? say.notPdf : file.size > maxBytes ? say.tooLarge : undefined
    setProblem(wrong)
    if (wrong !== undefined) return
    void file.arrayBuffer().then((read) => {
      add.mutate([{ portingId }, { name: file.name.slice(-200), base64Content: toBase64(new Uint8Array(read)) }])
    })
  }
  return { hand, problem, error: add.error }
}
