import { Box, Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Brand } from '../look/brand.tsx'
import { LanguageMenu, SchemeMenu } from '../look/choices.tsx'
import classes from './door.module.css'

/** Card for people who are not logged in. */
export const Door = ({ title, lead, foot, children }: { title: string; lead: ReactNode; foot?: ReactNode; children: ReactNode }) => (
  <Box className={classes.ground}>
    <Group justify="space-between" className={classes.top}>
      <Brand />
      <Group gap={4}>
        <LanguageMenu />
        <SchemeMenu />
      </Group>
    </Group>
    <Box component="main" className={classes.card}>
      <Title order={1}>{title}</Title>
      <Text c="dimmed" mt={4} mb="lg" component="div">
        {lead}
      </Text>
      {children}
    </Box>
    {foot !== undefined && (
      <Box component="footer" className={classes.foot}>
        {foot}
      </Box>
    )}
  </Box>
)
