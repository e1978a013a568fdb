import { SimpleGrid, Box, Button, Stack, Text, Title } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { useRead } from '#api/use-service.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { Link } from 'wouter'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import classes from './home.module.css'

const every = 15_000

/** Only the count is shown, no entries. */
const unread = { read: false, limit: 1 }

/** Start page of a plain phone user: reachability, voicemails, missed calls. */
export const MyDesk = () => {
  const say = useText(text)
  const may = useMay()
  const mayRead = may('CAN_GET_HISTORY')
  const look = { every, when: mayRead }
  const voicemails = useRead('listOwnHistory', { ...unread, types: ['VOICEMAIL'] }, look)
  const missed = useRead('listOwnHistory', { ...unread, types: ['CALL'], directions: ['MISSED_INCOMING'] }, look)
  const unheard = voicemails.data?.totalCount ?? 0
  const unseen = missed.data?.totalCount ?? 0
  const reachable = useReachable()
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
      {may('CAN_INITIATE_CALLS') && (
        <FirstStep icon="phone" title={say.myPhone} body={reachable} action={say.openPhone} to="/phone" primary />
      )}
      {mayRead && (
        <FirstStep icon="voicemail" title={say.myVoicemail} body={say.unheard(unheard)} action={say.openVoicemail} to="/calls/voicemail" />
      )}
      {mayRead && (
        <FirstStep
          icon="phoneIn"
          title={say.missedCalls}
          body={say.unseen(unseen)}
          action={say.openMissed}
          to="/calls?type=CALL&direction=MISSED_INCOMING"
        />
      )}
    </SimpleGrid>
  )
}

/** Where calls ring for the person now. */
const useReachable = (): string => {
  const say = useText(text)
  const mayRead = useMay()('CAN_GET_DEVICES')
  const userId = useMe()?.id ?? ''
  const devices = useRead('listUserDevices', { userId }, { every, when: mayRead && userId !== '' }).data?.items ?? []
  const names = devices.filter((device) => device.online && !device.dnd).map(({ alias }) => alias)
  return names.length === 0 ? say.unreachable : say.reachable(names.join(', '))
}

interface FirstStepProps {
  icon: IconName
  title: string
  body: string
  action: string
  to: string
  /** A shell command. */
  command?: string
  primary?: boolean
}

export const FirstStep = ({ icon, title, body, action, to, command, primary = false }: FirstStepProps) => (
  <Stack className={classes.step} gap="xs">
    <Box className={classes.stepIcon}>
      <Icon name={icon} size={22} />
    </Box>
    <Title order={2}>{title}</Title>
    <Text size="sm" c="dimmed" className={classes.grow}>
      {body}
    </Text>
    {command !== undefined && <CopyField value={command} />}
    <Button
      component={Link}
      href={to}
      variant={primary ? 'filled' : 'default'}
      rightSection={<Icon name="arrowRight" size={16} />}
      justify="space-between"
      mt="xs"
    >
      {action}
    </Button>
  </Stack>
)
