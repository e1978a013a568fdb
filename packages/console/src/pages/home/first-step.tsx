import { Box, Button, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import classes from './home.module.css'

export interface FirstStepProps {
  icon: IconName
  title: string
  body: string
  action: string
  to: string
  /** To be typed into a terminal. */
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
