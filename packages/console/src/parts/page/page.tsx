import { Anchor, Box, Group, Stack, Text, Title } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'
import { Link } from 'wouter'
import { Icon } from '../icon/icon.tsx'
import classes from './page.module.css'

interface PageProps {
  title: string
  description?: ReactNode
  /** Buttons next to the title. */
  actions?: ReactNode
  /** To the parent page. */
  back?: { to: string; label: string }
  /** Text and forms are narrow, tables wide, consoles and charts full. */
  width?: 'narrow' | 'normal' | 'full'
  children: ReactNode
}

/** Layout of every page: heading, actions, content. */
export const Page = ({ title, description, actions, back, width = 'normal', children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Offhook`
  }, [title])
  return (
    <Box className={classes.page} data-width={width}>
      {back && (
        <Anchor component={Link} href={back.to} size="sm" className={classes.back}>
          <Icon name="arrowLeft" size={15} />
          {back.label}
        </Anchor>
      )}
      <Group justify="space-between" align="flex-start" gap="md" mb="lg">
        <Box className={classes.heading}>
          <Title order={1}>{title}</Title>
          {description !== undefined && (
            <Text c="dimmed" mt={6} component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions !== undefined && (
          <Group gap="xs" className={classes.actions}>
            {actions}
          </Group>
        )}
      </Group>
      <Stack gap="lg">{children}</Stack>
    </Box>
  )
}
