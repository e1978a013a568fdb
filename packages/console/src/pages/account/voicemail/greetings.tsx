import { Button, Group, Box, FileInput, Stack, Text, TextInput } from '@mantine/core'
import { useState, useEffect, useRef } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { NothingHere } from '../parts/nothing-here.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'
import { api } from '#api/client.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useGuardedClose } from '#parts/leave/leave-guard.ts'
import { useForm } from '#parts/form/use-form.ts'
import { maxSeconds, toTelephoneSound, secondsOf, toBase64, fromBase64 } from './telephone-sound.ts'

/** Greetings of a voicemail. */
export const Greetings = ({ voicemailId, mayChange }: { voicemailId: string; mayChange: boolean }) => {
  const say = useText(text)
  const { duration } = useFormat()
  const greetings = useRead('listGreetings', { voicemailId })
  const [adding, setAdding] = useState(false)
  const [heard, setHeard] = useState<Greeting>()
  const actionsOf = useRowActions(voicemailId, { mayChange, onPlay: setHeard })
  const columns: Column<Greeting>[] = [
    { key: 'alias', header: say.name, cell: ({ alias }) => alias },
    { key: 'duration', header: say.length, cell: (greeting) => duration(greeting.duration * 1000), align: 'right', wideOnly: true },
    { key: 'active', header: say.state, cell: ({ active }) => active && <StatusBadge tone="good">{say.inUse}</StatusBadge> },
  ]
  const add = mayChange && (
    <AddButton variant="default" onClick={() => setAdding(true)}>
      {say.add}
    </AddButton>
  )
  return (
    <Section title={say.greetings} description={say.greetingsHint} actions={add} flush>
      <List
        name="greetings"
        query={greetings}
        label={say.greetings}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={actionsOf}
        empty={
          <NothingHere icon="voicemail" title={say.noGreeting}>
            {mayChange ? say.noGreetingHint : undefined}
          </NothingHere>
        }
      />
      {heard && <GreetingPlayer key={heard.id} voicemailId={voicemailId} greeting={heard} />}
      {adding && <GreetingForm voicemailId={voicemailId} onClose={() => setAdding(false)} />}
    </Section>
  )
}

const useRowActions = (voicemailId: string, { mayChange, onPlay }: { mayChange: boolean; onPlay: (greeting: Greeting) => void }) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const refreshes = ['listGreetings', 'getVoicemail'] as const
  const choose = useWrite('changeGreeting', { refreshes, onDone: () => toast.done(account.saved) })
  const remove = useWrite('deleteGreeting', { refreshes, onDone: () => toast.done(account.deleted) })
  const failed = { onError: (error: unknown) => toast.failed(error) }
  const askRemove = async ({ id, alias }: Greeting): Promise<void> => {
    const question = { title: say.deleteTitle(alias), body: say.deleteBody, confirm: say.deleteConfirm }
    if (await confirm(question)) remove.mutate([{ voicemailId, greetingId: id }], failed)
  }
  return (greeting: Greeting) => {
    const use: MenuAction = {
      label: say.use,
      icon: 'check',
      onClick: () => choose.mutate([{ voicemailId, greetingId: greeting.id }, { active: true }], failed),
    }
    const actions: MenuAction[] = [
      ...(greeting.active ? [] : [use]),
      { label: account.remove, icon: 'trash', danger: true, onClick: () => void askRemove(greeting) },
    ]
    return (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="play" size={14} />}
          aria-label={say.playOf(greeting.alias)}
          onClick={() => onPlay(greeting)}
        >
          {say.play}
        </Button>
        {mayChange && <RowMenu label={account.actionsFor(greeting.alias)} actions={actions} />}
      </Group>
    )
  }
}

type Greeting = OutputOf<'listGreetings'>['items'][number]

/** Fetches the audio on demand, and releases it when another is played. */
const GreetingPlayer = ({ voicemailId, greeting: { id: greetingId, alias } }: { voicemailId: string; greeting: Greeting }) => {
  const say = useText(text)
  const toast = useToast()
  const [source, setSource] = useState<string>()
  useEffect(() => {
    let address: string | undefined
    const begin = async (): Promise<void> => {
      const { base64Content } = await api.getGreeting({ voicemailId, greetingId })
      address = URL.createObjectURL(new Blob([fromBase64(base64Content)], { type: 'audio/wav' }))
      setSource(address)
    }
    begin().catch((error: unknown) => toast.failed(error))
    return () => {
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [voicemailId, greetingId, toast])
  return (
    <Box p="md">
      {/* Speech of the account's own people, without a transcript. */}
      <audio controls autoPlay src={source} aria-label={say.playOf(alias)} style={{ width: '100%' }} />
    </Box>
  )
}

interface Sound {
  wav?: Uint8Array
  problem?: string
}

/** A greeting from a file or from the microphone. */
const GreetingForm = ({ voicemailId, onClose }: { voicemailId: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const [sound, setSound] = useState<Sound>({})
  const add = useWrite('createGreeting', {
    refreshes: ['listGreetings', 'getVoicemail'],
    onDone: () => {
      toast.done(say.added)
      onClose()
    },
  })
  const close = useGuardedClose(sound.wav !== undefined && !add.isSuccess, onClose)
  const form = useForm({ alias: '' }, add.error)
  const take = async (file: Blob | null): Promise<void> => {
    if (!file) return setSound({})
    try {
      const wav = await toTelephoneSound(file)
      setSound(secondsOf(wav) > maxSeconds ? { problem: say.tooLong(maxSeconds) } : { wav })
    } catch {
      setSound({ problem: say.unreadable })
    }
  }
  const submit = (): void => {
    if (sound.wav) add.mutate([{ voicemailId }, { alias: form.values.alias, base64Content: toBase64(sound.wav) }])
    else setSound({ problem: sound.problem ?? say.needsSound })
  }
  return (
    <FormModal opened title={say.addTitle} onClose={close} onSubmit={submit} pending={add.isPending} error={add.error}>
      <TextInput label={say.name} placeholder={say.nameHint} required maxLength={100} data-autofocus {...form.text('alias')} />
      <FileInput
        label={say.file}
        description={say.fileHint}
        placeholder={say.chooseFile}
        accept="audio/*"
        leftSection={<Icon name="upload" size={16} />}
        onChange={(file) => void take(file)}
        error={sound.problem}
      />
      <Recording wav={sound.wav} onSound={(file) => void take(file)} />
    </FormModal>
  )
}

const Recording = ({ wav, onSound }: { wav: Uint8Array | undefined; onSound: (sound: Blob) => void }) => {
  const say = useText(text)
  const { duration } = useFormat()
  const recorder = useRecorder(onSound)
  const recording = recorder.state === 'recording'
  return (
    <Stack gap={6}>
      <Text size="sm" fw={550}>
        {say.recordWith}
      </Text>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<Icon name={recording ? 'stop' : 'microphone'} size={16} />}
          onClick={recording ? recorder.stop : recorder.start}
        >
          {recording ? say.stop : wav ? say.again : say.record}
        </Button>
        <Text size="sm" role="status">
          {wav && !recording ? say.recorded(duration(secondsOf(wav) * 1000)) : ''}
        </Text>
      </Group>
      {recorder.state === 'refused' && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {say.noMicrophone}
        </Text>
      )}
    </Stack>
  )
}

interface Recorder {
  state: 'idle' | 'recording' | 'refused'
  start: () => void
  stop: () => void
}

/** Records with the microphone; `onSound` gets the whole recording. Leaving the page turns the microphone off. */
const useRecorder = (onSound: (sound: Blob) => void): Recorder => {
  const [state, setState] = useState<Recorder['state']>('idle')
  const running = useRef<MediaRecorder>(undefined)
  const stop = (): void => {
    const recorder = running.current
    running.current = undefined
    if (recorder?.state === 'recording') recorder.stop()
    for (const track of recorder?.stream.getTracks() ?? []) track.stop()
    if (recorder) setState('idle')
  }
  const start = async (): Promise<void> => {
    try {
      const recorder = new MediaRecorder(await navigator.mediaDevices.getUserMedia({ audio: true }))
      const pieces: Blob[] = []
      recorder.ondataavailable = ({ data }) => pieces.push(data)
      recorder.onstop = () => onSound(new Blob(pieces, { type: recorder.mimeType }))
      recorder.start()
      running.current = recorder
      setState('recording')
    } catch {
      setState('refused')
    }
  }
  useEffect(
    () => () => {
      for (const track of running.current?.stream.getTracks() ?? []) track.stop()
    },
    [],
  )
  return { state, start: () => void start(), stop }
}
