import { Button, Group } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text as labText } from '../lab/text.ts'
import { text as replayText } from '../replay/text.ts'
import { text } from './text.ts'

const PinModal = lazy(() => import('../replay/pin-modal.tsx').then((part) => ({ default: part.PinModal })))

export interface NextStepsProps {
  flowId: string
  callId: string
  /** Only what was recorded can be listened to again. */
  isRecorded: boolean
  isReplaying: boolean
  onReplay: () => void
}

/** What can be done with a call that an assistant had. */
export const NextSteps = ({ flowId, callId, isRecorded, isReplaying, onReplay }: NextStepsProps) => {
  const say = useText(text)
  const sayReplay = useText(replayText)
  const sayLab = useText(labText)
  const may = useMay()('CAN_CHANGE_FLOWS')
  const [isPinning, setPinning] = useState(false)
  return (
    <Group gap="xs">
      {may && (
        <>
          <Button leftSection={<Icon name="check" size={16} />} onClick={() => setPinning(true)}>
            {sayReplay.pin}
          </Button>
          <Button variant="default" aria-expanded={isReplaying} leftSection={<Icon name="refresh" size={16} />} onClick={onReplay}>
            {sayReplay.replay}
          </Button>
        </>
      )}
      {isRecorded && (
        <Button component={Link} href={`/calls/${callId}/lab`} variant="default" leftSection={<Icon name="wave" size={16} />}>
          {sayLab.open}
        </Button>
      )}
      <Button component={Link} href={`/flows/${flowId}`} variant="default" leftSection={<Icon name="settings" size={16} />}>
        {say.toFlow}
      </Button>
      <Suspense>{isPinning && <PinModal flowId={flowId} callId={callId} onClose={() => setPinning(false)} />}</Suspense>
    </Group>
  )
}
