import { ActionIcon, Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState, useEffect } from 'react'
import { keep, kept } from '#api/kept.ts'
import type { MicrophoneProblem } from '#api/phone/calls.ts'
import { phoneLine } from '#api/phone/phone-line.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { text as barText } from '#phone/bar/text.ts'
import { isSoundPossible, MicrophoneError, openMicrophone } from '#phone/sound/microphone.ts'
import { canChooseOutput } from '#phone/sound/signals.ts'
import { playSample } from '#phone/sound/signals.ts'
import { useText } from '#words/use-text.tsx'
import { Meter } from './meter.tsx'
import { text } from './text.ts'

/** Microphone and loudspeakers of this browser, with a test. */
export const SoundSection = () => {
  const say = useText(text)
  const [tried, setTried] = useState<MediaStream>()
  const { inputs, outputs, permission } = useSoundDevices(tried !== undefined)
  const haveNames = inputs.some(({ label }) => label !== '')
  return (
    <Section title={say.sound}>
      <Stack gap="md">
        {permission !== undefined && (
          <Text size="sm" c="dimmed">
            {say.permission[permission]}
          </Text>
        )}
        <Choice name="microphone" label={say.microphone} devices={inputs} onChoose={() => stop(tried, setTried)} />
        <MicrophoneTrial tried={tried} onTry={setTried} />
        {canChooseOutput() ? (
          (['speaker', 'ringer'] as const).map((name) => (
            <Group key={name} gap="xs" align="flex-end" wrap="nowrap">
              <Choice name={name} label={say[name]} devices={outputs} />
              <ActionIcon size={36} variant="default" aria-label={say.play(say[name])} onClick={() => void playSample(name)}>
                <Icon name="sound" />
              </ActionIcon>
            </Group>
          ))
        ) : (
          <Text size="sm" c="dimmed">
            {say.cannotChoose}
          </Text>
        )}
        {!haveNames && isSoundPossible() && (
          <Text size="xs" c="dimmed">
            {say.namesLater}
          </Text>
        )}
      </Stack>
    </Section>
  )
}

interface ChoiceProps {
  name: 'microphone' | 'speaker' | 'ringer'
  label: string
  devices: readonly MediaDeviceInfo[]
  onChoose?: () => void
}

/** Stored per browser: other browsers have other devices. */
const Choice = ({ name, label, devices, onChoose }: ChoiceProps) => {
  const say = useText(text)
  const [chosen, setChosen] = useState(() => kept(`phone.${name}`) ?? '')
  const named = devices.filter(({ deviceId, label: words }) => deviceId !== '' && deviceId !== 'default' && words !== '')
  const choose = (id: string): void => {
    keep(`phone.${name}`, id)
    setChosen(id)
    onChoose?.()
    if (phoneLine.view.calls.length > 0) phoneLine.wish((phone) => phone.takeDevices())
  }
  return (
    <NativeSelect
      label={label}
      style={{ flex: 1, minWidth: 0 }}
      data={[{ value: '', label: say.usual }, ...named.map((device) => ({ value: device.deviceId, label: device.label }))]}
      value={named.some(({ deviceId }) => deviceId === chosen) ? chosen : ''}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}

const stop = (stream: MediaStream | undefined, forget: (stream: undefined) => void): void => {
  for (const track of stream?.getTracks() ?? []) track.stop()
  forget(undefined)
}

const MicrophoneTrial = ({ tried, onTry }: { tried: MediaStream | undefined; onTry: (stream: MediaStream | undefined) => void }) => {
  const say = useText(text)
  const { microphone } = useText(barText)
  const [problem, setProblem] = useState<MicrophoneProblem>()
  const begin = (): void => {
    setProblem(undefined)
    openMicrophone().then(onTry, (error: unknown) => setProblem(error instanceof MicrophoneError ? error.problem : 'busy'))
  }
  return (
    <>
      {tried && <Meter stream={tried} onEnd={() => stop(tried, onTry)} />}
      {problem !== undefined && (
        <Alert color="yellow" role="alert">
          {microphone[problem]}
        </Alert>
      )}
      <Button
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<Icon name="microphone" size={16} />}
        disabled={!isSoundPossible()}
        onClick={() => (tried ? stop(tried, onTry) : begin())}
      >
        {tried ? say.stopTrying : say.tryMicrophone}
      </Button>
    </>
  )
}

interface SoundDevices {
  inputs: readonly MediaDeviceInfo[]
  outputs: readonly MediaDeviceInfo[]
  /** Undefined if the browser does not report it. */
  permission: PermissionState | undefined
}

/** Connected devices, and the microphone permission. `again`: permission was just granted, so names are available. */
const useSoundDevices = (again: boolean): SoundDevices => {
  const [devices, setDevices] = useState<readonly MediaDeviceInfo[]>([])
  const [permission, setPermission] = useState<PermissionState>()
  useEffect(() => {
    // Insecure pages have neither.
    const media = navigator.mediaDevices as MediaDevices | undefined
    if (media === undefined) return undefined
    const look = (): void => void media.enumerateDevices().then(setDevices, () => undefined)
    look()
    media.addEventListener('devicechange', look)
    let status: PermissionStatus | undefined
    const notify = (): void => {
      setPermission(status?.state)
      look()
    }
    navigator.permissions.query({ name: 'microphone' }).then(
      (found) => {
        status = found
        found.addEventListener('change', notify)
        notify()
      },
      () => undefined,
    )
    return () => {
      media.removeEventListener('devicechange', look)
      status?.removeEventListener('change', notify)
    }
  }, [again])
  return {
    inputs: devices.filter(({ kind }) => kind === 'audioinput'),
    outputs: devices.filter(({ kind }) => kind === 'audiooutput'),
    permission,
  }
}
