#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Opens the recorded investigation and says how to let an assistant work on it: investigate.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:?usage: $0 PROGRAM}")
trace=$PWD/examples/starved-loader/trace.db

"$program" explain "$trace"

cat <<END

To let an assistant ask its own questions, paste this as its MCP configuration:

{
  "mcpServers": {
    "gpuwhy": {"command": "$program", "args": ["mcp", "--db", "$trace"]}
  }
}

or start one here:
  claude --mcp-config examples/mcp/claude.json      then type /investigate, or ask "what starved the GPU?"
  ollmcp -j examples/mcp/ollmcp.json
Your own trace: $program explain FILE    (a gpuwhy or Ingero database, or a PyTorch trace.json.gz)
END
