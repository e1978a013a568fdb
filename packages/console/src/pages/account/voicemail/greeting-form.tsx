import { Button, FileInput, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useGuardedClose } from '#parts/leave/leave-guard.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { maxSeconds, secondsOf, toBase64, toTelephoneSound } from './telephone-sound.ts'
import { text } from './text.ts'
import { useRecorder } from './use-recorder.ts'

interface Sound {
  wav?: Uint8Array
  problem?: string
}

/** A greeting from a file or from the microphone. */
export const GreetingForm = ({ voicemailId, onClose }: { voicemailId: string; onClose: () => void }) => {
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
