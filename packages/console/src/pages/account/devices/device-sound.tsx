import { Alert, Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '#api/use-service.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** That it was not heard in a call, or did not hear, and what that may come from. */
export const DeviceSound = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const format = useFormat()
  const { data } = useRead('getDeviceSound', { deviceId })
  const trouble = data?.trouble
  if (!trouble) return null
  return (
    <Alert color="yellow" icon={<Icon name="alert" />} title={say.soundTrouble(format.moment(trouble.at))}>
      {say.soundTroubles[trouble.state]}{' '}
      <Anchor component={Link} href={`/calls/${trouble.callId}`} inherit>
        {say.toCall}
      </Anchor>
    </Alert>
  )
}
