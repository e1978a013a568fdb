import { Button, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { List } from '#parts/list/list.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../parts/text.ts'
import { useCallNames } from './use-call-names.ts'
import { useRunningCalls, type RunningCall } from './use-running-calls.ts'
import { useWrite, type OperationId } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'

/** Calls in progress. */
export const RunningCalls = () => {
  const say = useText(text)
  const names = useCallNames()
  const calls = useRunningCalls()
  return (
    <Section title={say.running} flush>
      <Loaded query={calls}>
        {({ data }) => (
          <List
            name="running"
            label={say.running}
            rows={data}
            rowKey={({ callId }) => callId}
            rowTo={({ callId }) => `/calls/${callId}`}
            columns={[
              { key: 'with', header: say.with, cell: names.others },
              { key: 'own', header: say.ownSide, cell: names.own },
              { key: 'state', header: say.state, cell: (call) => <CallBadges call={call} /> },
            ]}
            rowActions={(call) => <CallMenu call={call} />}
            empty={<NoCalls />}
          />
        )}
      </Loaded>
    </Section>
  )
}

/** One line: usually no call runs, and users come for the history. */
const NoCalls = () => {
  const say = useText(text)
  return (
    <Group justify="space-between" px="1.25rem" py="md">
      <Text size="sm" c="dimmed" maw="42rem">
        {say.noRunningTitle}. {say.noRunningBody}
      </Text>
      <Button component={Link} href="/talk" variant="default" size="xs">
        {say.toTalk}
      </Button>
    </Group>
  )
}

export const CallBadges = ({ call: { hold, muted, recording, recordingPaused } }: { call: RunningCall }) => {
  const say = useText(text)
  return (
    <Group gap={6}>
      {hold ? (
        <StatusBadge tone="warning">{say.held}</StatusBadge>
      ) : (
        <StatusBadge tone="good" pulse>
          {say.talking}
        </StatusBadge>
      )}
      {muted && <StatusBadge tone="warning">{say.muted}</StatusBadge>}
      {recordingPaused && <StatusBadge tone="warning">{say.recordingPaused}</StatusBadge>}
      {recording && !recordingPaused && (
        <StatusBadge tone="bad" pulse>
          {say.recorded}
        </StatusBadge>
      )}
    </Group>
  )
}

const CallMenu = ({ call }: { call: RunningCall }) => {
  const say = useText(text)
  const names = useCallNames()
  const control = useCallControl(call)
  return (
    <RowMenu
      label={say.actionsFor(names.others(call))}
      actions={[
        { label: call.hold ? say.retrieve : say.hold, icon: call.hold ? 'play' : 'pause', onClick: () => control.hold(!call.hold) },
        {
          label: call.muted ? say.unmute : say.mute,
          icon: call.muted ? 'microphone' : 'microphoneOff',
          onClick: () => control.mute(!call.muted),
        },
        { label: say.hangUp, icon: 'hangUp', danger: true, onClick: () => void control.hangUp() },
      ]}
    />
  )
}

const refreshes: readonly OperationId[] = ['listCalls']

/** Button actions of a running call; shows rejections of the service. */
export const useCallControl = (call: RunningCall) => {
  const say = useText(text)
  const names = useCallNames()
  const confirm = useConfirm()
  const { failed } = useToast()
  const hold = useWrite('holdCall', { refreshes })
  const mute = useWrite('muteCall', { refreshes })
  const record = useWrite('recordCall', { refreshes })
  const pause = useWrite('pauseRecording', { refreshes })
  const end = useWrite('hangUpCall', { refreshes })
  const { callId } = call
  const telling = { onError: failed }
  return {
    hold: (value: boolean) => hold.mutate([{ callId }, { value }], telling),
    mute: (value: boolean) => mute.mutate([{ callId }, { value }], telling),
    stopRecording: () => record.mutate([{ callId }, { value: false }], telling),
    pauseRecording: (value: boolean) => pause.mutate([{ callId }, { value }], telling),
    hangUp: async () => {
      const body = say.hangUpBody(names.others(call))
      if (await confirm({ title: say.hangUpTitle, body, confirm: say.hangUp })) end.mutate([{ callId }], telling)
    },
    isPending: hold.isPending || mute.isPending || record.isPending || pause.isPending || end.isPending,
  }
}
