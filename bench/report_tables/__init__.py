# This file is part of cafwire. See the file LICENSE for license terms.
"""The tables that report.py prints."""
